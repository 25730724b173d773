import type pg from 'pg';
import { ROLES } from './roles.ts';

/** What the service may do to a table besides reading it. */
type Right = 'insert' | 'update' | 'delete';

/**
 * Every table, with what the service may do to its rows. Nothing changes or deletes a row of the ledger, of an order's
 * events or of the audit. Masking and the audit's own functions run with the owner's rights (`security definer`).
 */
export const SERVICE_RIGHTS: Readonly<Record<string, readonly Right[]>> = {
  ledger_transfer: ['insert'],
  admin_posting: ['insert'],
  platform_account: [],
  order_event: ['insert'],
  audit_event: [],

  orders: ['insert', 'update'],
  order_outcome: ['insert', 'delete'],
  order_totals: ['update'],
  request_note: ['insert', 'delete'],
  idempotency_key: ['insert'],
  unanswered_order: ['insert', 'update', 'delete'],
  bulk_run: ['insert', 'update', 'delete'],
  bulk_order: ['insert', 'update', 'delete'],
  rate_lock: ['insert', 'update', 'delete'],
  recipient_check: ['insert', 'delete'],
  reserved_amount: ['insert', 'update', 'delete'],
  receipt: ['insert'],
  payment_verdict: ['insert', 'update'],
  chain_transaction: ['insert', 'update', 'delete'],
  sandbox_transaction: ['insert'],

  collateral_deposit: ['insert', 'update'],
  collateral_withdrawal: ['insert', 'update'],
  lp_collateral: ['insert', 'update'],

  lp: ['insert', 'update'],
  lp_address: ['insert', 'update'],
  lp_asset: ['insert', 'update', 'delete'],
  address_release: ['insert'],
  lp_auto_claim: ['insert', 'update'],
  lp_forgiveness: ['insert'],
  lp_statistics: ['insert', 'update'],
  lp_strike: ['insert', 'update'],
  free_release: ['insert', 'delete'],
  lp_term: ['insert', 'update'],
  reference_price: ['insert', 'update'],
  pause: ['insert', 'update', 'delete'],
  incident: ['insert', 'update'],

  admin: ['insert', 'update'],
  agent_key: ['insert', 'update'],
  app_user: ['insert', 'update'],
  approval: ['insert', 'update'],
  oidc_sign_in: ['insert', 'delete'],
  session: ['insert', 'update', 'delete'],

  agent_webhook_secret: ['insert', 'update'],
  lp_webhook: ['insert', 'update', 'delete'],
  former_lp_webhook: ['insert', 'update', 'delete'],
  webhook_attempt: ['insert', 'update', 'delete'],
  webhook_delivery: ['insert', 'update', 'delete'],

  agent_request_count: ['insert', 'update'],
  feed_cursor: ['insert', 'update'],
  process_heartbeat: ['insert', 'update', 'delete'],
  rate_window: ['insert', 'update', 'delete'],
  reconciler_progress: ['insert', 'update'],
  reserve_check: ['insert', 'update', 'delete'],
  service_heartbeat: ['insert', 'update'],
  chain_contact: ['insert', 'update'],
  socket_slot: ['insert', 'update', 'delete'],

  initial_schema: [],
  mikro_orm_migrations: [],
};

const KEY_HASHES = ['key_hash', 'previous_key_hash', 'older_key_hash'];
const SECRETS = ['secret', 'previous_secret'];

/** Columns that the reader cannot read, by table or view. */
export const HIDDEN_FROM_READER: Readonly<Record<string, readonly string[]>> = {
  admin: KEY_HASHES,
  agent_key: KEY_HASHES,
  lp: KEY_HASHES,
  session: ['token_hash', 'key_hash'],
  oidc_sign_in: ['token_hash'],
  agent_webhook_secret: SECRETS,
  lp_webhook: SECRETS,
  former_lp_webhook: ['secret'],
  warned_webhook: ['secret'],
  // It names the callers by their addresses and keys.
  rate_window: ['key'],
};

/** The views of the schema. They read with the owner's rights. */
const VIEWS = ['priced_term', 'lp_rate', 'receiving_asset', 'warned_webhook'];

/** The functions that the service calls and that run with the owner's rights. */
const DEFINERS = [
  'append_audit(jsonb, text, text, text, jsonb, jsonb, text)',
  'begin_masking(bigint[])',
  'end_masking(bigint[], varchar[], text)',
];

const BOTH = `${ROLES.service}, ${ROLES.reader}`;
const TABLES = Object.keys(SERVICE_RIGHTS);

/** A managed PostgreSQL may not let the owner create roles. Then an operator creates them. */
const CREATE_ROLES = Object.values(ROLES)
  .map(
    (role) => `
  do $$ begin
    if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
  exception when insufficient_privilege or duplicate_object or unique_violation then null;
  end $$;`,
  )
  .join('');

/** Since version 15, PostgreSQL lets only the owner create in this schema. A server that was upgraded may let everybody. */
const KEEP_SCHEMA = `
  do $$ begin
    revoke create on schema public from public;
  exception when insufficient_privilege then null;
  end $$;`;

/** Functions with the owner's rights are open to everybody when they are created. */
const CLOSE_DEFINERS = `
  select format('revoke all on function %s from public;', oid::regprocedure) as sql from pg_proc
  where prosecdef and pronamespace = 'public'::regnamespace and pg_has_role(proowner, 'usage')`;

const READABLE = `
  select string_agg(format('%I', attname), ', ' order by attnum) as columns from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> all ($2)`;

/**
 * Gives each role exactly its rights, in one transaction. The client is the owner's. Creates the roles if the owner may;
 * without them it only takes from the public what nobody but the service may call. A second call changes nothing.
 */
export async function grantRights(client: pg.ClientBase): Promise<void> {
  await client.query('begin');
  try {
    await client.query(CREATE_ROLES + KEEP_SCHEMA);
    const { rows } = await client.query<{ sql: string }>(CLOSE_DEFINERS);
    for (const { sql } of rows) await client.query(sql);
    if ((await missingRoles(client)).length === 0) await client.query(await grants(client));
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

async function grants(client: pg.ClientBase): Promise<string> {
  const statements = [
    `grant usage on schema public to ${BOTH}`,
    `revoke all on ${[...TABLES, ...VIEWS].join(', ')} from ${BOTH}`,
    `grant usage, select, update on all sequences in schema public to ${ROLES.service}`,
    `grant execute on function ${DEFINERS.join(', ')} to ${ROLES.service}`,
  ];
  for (const table of [...TABLES, ...VIEWS]) {
    const rights = ['select', ...(SERVICE_RIGHTS[table] ?? [])].join(', ');
    statements.push(`grant ${rights} on ${table} to ${ROLES.service}`);
    const hidden = HIDDEN_FROM_READER[table];
    const readable = hidden ? ` (${await columnsExcept(client, table, hidden)})` : '';
    statements.push(`grant select${readable} on ${table} to ${ROLES.reader}`);
  }
  return statements.join(';\n');
}

async function columnsExcept(
  client: pg.ClientBase,
  table: string,
  hidden: readonly string[],
): Promise<string> {
  const { rows } = await client.query<{ columns: string }>(READABLE, [table, hidden]);
  return rows[0]?.columns ?? '';
}

/** The names of the roles that the server does not have. */
export async function missingRoles(client: pg.ClientBase | pg.Pool): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from unnest($1::text[]) name where not exists (select from pg_roles where rolname = name)',
    [Object.values(ROLES)],
  );
  return rows.map(({ name }) => name);
}
