import type { Guard } from '../guard.ts';

const RIGHTS = 'src/db/rights.ts';
const ATTACKS = 'test/system/attacks/database-role.test.ts';

/** What the roles of the database may do, and that nobody else stands between Corridor and the database. */
export const ROLE_GUARDS: readonly Guard[] = [
  {
    name: 'roles: the service changes no transfer',
    file: RIGHTS,
    text: "ledger_transfer: ['insert'],",
    without: "ledger_transfer: ['insert', 'update', 'delete'],",
    attack: { file: ATTACKS, name: 'can change or delete nothing in ' },
  },
  {
    name: 'roles: the service changes no event of an order',
    file: RIGHTS,
    text: "order_event: ['insert'],",
    without: "order_event: ['insert', 'update', 'delete'],",
    attack: { file: ATTACKS, name: 'can change or delete nothing in ' },
  },
  {
    name: 'roles: the service changes no event of the audit',
    file: RIGHTS,
    text: 'audit_event: [],',
    without: "audit_event: ['insert', 'update', 'delete'],",
    attack: { file: ATTACKS, name: 'can change or delete nothing in ' },
  },
  {
    name: 'roles: the service writes no balance of the platform',
    file: RIGHTS,
    text: 'platform_account: [],',
    without: "platform_account: ['insert', 'update'],",
    attack: { file: ATTACKS, name: 'cannot write the audit itself, nor a balance of the platform' },
  },
  {
    name: 'roles: masking reads no table of its caller',
    file: 'src/db/migrations/masking.sql',
    text: 'begin_masking(ids bigint[]) returns setof bigint\n  language plpgsql security definer set search_path = public, pg_temp as',
    without: 'begin_masking(ids bigint[]) returns setof bigint\n  language plpgsql security definer as',
    attack: { file: ATTACKS, name: 'cannot put a table of its own into the place' },
  },
  {
    name: 'roles: the reader calls no function that writes',
    file: RIGHTS,
    text: 'for (const { sql } of rows) await client.query(sql);',
    without: '',
    attack: { file: ATTACKS, name: 'calls no function that writes' },
  },
  {
    name: 'roles: the reader reads no secret',
    file: RIGHTS,
    text: 'const hidden = HIDDEN_FROM_READER[table];',
    without: "const hidden = HIDDEN_FROM_READER[''];",
    attack: { file: ATTACKS, name: 'reads no secret, in no way' },
  },
  {
    name: 'database: connections have the TLS of their URL',
    file: 'src/db/orm.ts',
    text: '    ...(ssl !== false && { ssl }),\n',
    without: '',
    attack: {
      file: 'test/system/e2e/secured-postgres.test.ts',
      name: 'with a certificate that has expired, one line says what to do',
    },
  },
  {
    name: 'database: the certificate names the host of the URL',
    file: 'src/db/tls.ts',
    text: ', host: host ?? undefined }',
    without: ' }',
    attack: {
      file: 'test/system/e2e/secured-postgres.test.ts',
      name: 'with a host that the certificate does not name',
    },
  },
  {
    name: 'database: the server is checked',
    file: 'src/db/tls.ts',
    text: 'if (mode !== null && !MODES.includes(mode))',
    without: "if (mode !== null && mode === 'allow')",
    attack: {
      file: 'test/system/e2e/secured-postgres.test.ts',
      name: 'a mode that does not check the server',
    },
  },
  {
    name: 'roles: a certificate is tried before it replaces another',
    file: 'src/temporal/client.ts',
    text: 'await next.ensureConnected();',
    without: 'await Promise.resolve();',
    attack: {
      file: 'test/system/e2e/secured-temporal.test.ts',
      name: 'a certificate that cannot be used is not used',
    },
  },
];
