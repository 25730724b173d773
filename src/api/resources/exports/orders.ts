import type { Database } from '../../../db/orm.ts';
import { statement } from '../../../db/statement.ts';
import { csvLine, freeText } from '../../../domain/csv.ts';
import { type KeyedRow, pageOfRange, readPages } from './pages.ts';
import type { Range } from './schemas.ts';

/** Columns of both exports of orders. None identifies the recipient. */
const COLUMNS = `o.id, o.status, o.agent_key_id, coalesce(k.name, k.integrator_name) as agent_name, o.user_id,
    o.lp_id, lp.display_name as lp_name, o.amount_fiat, o.currency, o.method, o.rate_usd, o.amount_usd, o.fee_usd, o.amount_crypto,
    o.crypto_symbol, o.crypto_chain, o.user_crypto_tx_hash, o.slashed_usd, o.claim_rate_usd, o.status_reason,
    o.created_at::text, coalesce(o.completed_at, o.cancelled_at)::text as ended_at, o.payment_id`;

export const ORDERS = statement(
  'export-orders',
  `
  select o.created_at::text as at, ${COLUMNS}
  from orders o join agent_key k on k.id = o.agent_key_id left join lp on lp.id = o.lp_id
  where ${pageOfRange('o', 'created_at')}`,
);

/** Completed orders of an LP, by the end of each. The index on the LP finds them. */
export const HISTORY = statement(
  'export-history',
  `
  select o.completed_at::text as at, ${COLUMNS}
  from orders o join agent_key k on k.id = o.agent_key_id left join lp on lp.id = o.lp_id
  where o.lp_id = $lpId::bigint and o.status = 'completed' and ${pageOfRange('o', 'completed_at')}`,
);

interface OrderRow extends KeyedRow {
  status: string;
  agent_key_id: number;
  agent_name: string | null;
  user_id: number;
  lp_id: number | null;
  lp_name: string | null;
  amount_fiat: string;
  currency: string;
  method: string;
  rate_usd: string;
  amount_usd: string;
  fee_usd: string;
  amount_crypto: string;
  crypto_symbol: string;
  crypto_chain: string;
  user_crypto_tx_hash: string | null;
  slashed_usd: string | null;
  claim_rate_usd: string | null;
  status_reason: string | null;
  created_at: string;
  ended_at: string | null;
  payment_id: string;
}

const iso = (text: string | null): string | null => text && new Date(text).toISOString();

const amounts = (row: OrderRow) =>
  [
    ['amount_fiat', row.amount_fiat],
    ['currency', row.currency],
    ['method', freeText(row.method)],
    ['rate_usd', row.rate_usd],
    ['amount_usd', row.amount_usd],
    ['fee_usd', row.fee_usd],
    ['amount_crypto', row.amount_crypto],
    ['crypto_symbol', freeText(row.crypto_symbol)],
    ['crypto_chain', row.crypto_chain],
    ['tx_hash', freeText(row.user_crypto_tx_hash)],
  ] as const;

const forAdmins = (row: OrderRow) =>
  [
    ['order_id', row.id],
    ['payment_id', row.payment_id],
    ['created_at', iso(row.created_at)],
    ['ended_at', iso(row.ended_at)],
    ['status', row.status],
    ['agent_key_id', row.agent_key_id],
    ['agent_name', freeText(row.agent_name)],
    ['user_id', row.user_id],
    ['lp_id', row.lp_id],
    ['lp_name', freeText(row.lp_name)],
    ...amounts(row),
    ['slashed_usd', row.slashed_usd],
    ['status_reason', freeText(row.status_reason)],
  ] as const;

/** An LP sees neither the agent's users nor what the agent pays with elsewhere. */
const forLps = (row: OrderRow) =>
  [
    ['order_id', row.id],
    ['created_at', iso(row.created_at)],
    ['completed_at', iso(row.ended_at)],
    ...amounts(row),
    ['own_rate_usd', row.claim_rate_usd],
  ] as const;

type Fields = readonly (readonly [string, Parameters<typeof csvLine>[0][number]])[];

async function* lines(pages: AsyncIterable<OrderRow[]>, fieldsOf: (row: OrderRow) => Fields) {
  // Only the names of the fields are read from this row.
  yield csvLine(fieldsOf({ created_at: null, ended_at: null } as unknown as OrderRow).map(([name]) => name));
  for await (const rows of pages)
    yield rows.map((row) => csvLine(fieldsOf(row).map(([, value]) => value))).join('');
}

/** All orders that were created in the range, as CSV. */
export const orderLines = (db: Database, range: Range) =>
  lines(readPages<OrderRow>(db, ORDERS, range), forAdmins);

/** The orders that an LP has completed in the range, as CSV. */
export const historyLines = (db: Database, range: Range, lpId: number) =>
  lines(readPages<OrderRow>(db, HISTORY, range, { lpId }), forLps);
