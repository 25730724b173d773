import { inFile } from '../guard.ts';

const ATTACKS = 'test/system/attacks/database-role.test.ts';

/** What the roles of the database may do, and that nobody else stands between Corridor and the database. */
export const ROLE_GUARDS = [
  ...inFile('src/db/rights.ts', ATTACKS, [
    ['roles: the service changes no transfer', "ledger_transfer: ['insert'],",
      "ledger_transfer: ['insert', 'update', 'delete'],", 'can change or delete nothing in '],
    ['roles: the service changes no event of an order', "order_event: ['insert'],",
      "order_event: ['insert', 'update', 'delete'],", 'can change or delete nothing in '],
    ['roles: the service changes no event of the audit', 'audit_event: [],',
      "audit_event: ['insert', 'update', 'delete'],", 'can change or delete nothing in '],
    ['roles: the service writes no balance of the platform', 'platform_account: [],',
      "platform_account: ['insert', 'update'],",
      'cannot write the audit itself, nor a balance of the platform'],
    ['roles: the reader calls no function that writes',
      'for (const { sql } of rows) await client.query(sql);', '', 'calls no function that writes'],
    ['roles: the reader reads no secret', 'const hidden = HIDDEN_FROM_READER[table];',
      "const hidden = HIDDEN_FROM_READER[''];", 'reads no secret, in no way']]),
  ...inFile('src/db/migrations/masking.sql', ATTACKS, [
    ['roles: masking reads no table of its caller',
      'begin_masking(ids bigint[]) returns setof bigint\n  language plpgsql security definer set search_path = public, pg_temp as',
      'begin_masking(ids bigint[]) returns setof bigint\n  language plpgsql security definer as',
      'cannot put a table of its own into the place']]),
  ...inFile('src/db/orm.ts', 'test/system/e2e/secured-postgres.test.ts', [
    ['database: connections have the TLS of their URL', '    ...(ssl !== false && { ssl }),\n', '',
      'with a certificate that has expired, one line says what to do']]),
  ...inFile('src/db/tls.ts', 'test/system/e2e/secured-postgres.test.ts', [
    ['database: the certificate names the host of the URL', ', host: host ?? undefined }', ' }',
      'with a host that the certificate does not name'],
    ['database: the server is checked', 'if (mode !== null && !MODES.includes(mode))',
      "if (mode !== null && mode === 'allow')", 'a mode that does not check the server']]),
  ...inFile('src/temporal/client.ts', 'test/system/e2e/secured-temporal.test.ts', [
    ['roles: a certificate is tried before it replaces another', 'await next.ensureConnected();',
      'await Promise.resolve();', 'a certificate that cannot be used is not used']]),
];
