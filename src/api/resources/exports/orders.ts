import type { Database } from '../../../db/orm.ts';
import { statement } from '../../../db/statement.ts';
import { csvLine, freeText } from '../../../domain/csv.ts';
import { isoTime, type KeyedRow, pageOfRange, readPages } from './pages.ts';
import type { Range } from './schemas.ts';

/** Columns of both exports of orders. None identifies the recipient. */
const COLUMNS = `o.id, o.status, o.agent_key_id, coalesce(k.name, k.integrator_name) as agent_name, o.user_id,
    o.lp_id, lp.display_name as lp_name, o.amount_fiat, o.currency, o.method, o.rate_usd, o.amount_usd, o.fee_usd, o.amount_crypto,
    o.crypto_symbol, o.crypto_chain, o.user_crypto_tx_hash, o.slashed_usd, o.claim_rate_usd, o.status_reason, o.status_reason_code,
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
  status_reason_code: string | null;
  created_at: string;
  ended_at: string | null;
  payment_id: string;
}

/** The name of a field, and its value in a row. */
type Field = readonly [name: string, valueIn: (row: OrderRow) => Parameters<typeof csvLine>[0][number]];

const endedAt = ({ ended_at }: OrderRow) => ended_at && isoTime(ended_at);

const AMOUNTS: Field[] = [
  ['amount_fiat', (row) => row.amount_fiat],
  ['currency', (row) => row.currency],
  ['method', (row) => freeText(row.method)],
  ['rate_usd', (row) => row.rate_usd],
  ['amount_usd', (row) => row.amount_usd],
  ['fee_usd', (row) => row.fee_usd],
  ['amount_crypto', (row) => row.amount_crypto],
  ['crypto_symbol', (row) => freeText(row.crypto_symbol)],
  ['crypto_chain', (row) => row.crypto_chain],
  ['tx_hash', (row) => freeText(row.user_crypto_tx_hash)],
];

const FOR_ADMINS: Field[] = [
  ['order_id', (row) => row.id],
  ['payment_id', (row) => row.payment_id],
  ['created_at', (row) => isoTime(row.created_at)],
  ['ended_at', endedAt],
  ['status', (row) => row.status],
  ['agent_key_id', (row) => row.agent_key_id],
  ['agent_name', (row) => freeText(row.agent_name)],
  ['user_id', (row) => row.user_id],
  ['lp_id', (row) => row.lp_id],
  ['lp_name', (row) => freeText(row.lp_name)],
  ...AMOUNTS,
  ['slashed_usd', (row) => row.slashed_usd],
  ['status_reason', (row) => freeText(row.status_reason)],
  ['status_reason_code', (row) => row.status_reason_code],
];

/** An LP sees neither the agent's users nor what the agent pays with elsewhere. */
const FOR_LPS: Field[] = [
  ['order_id', (row) => row.id],
  ['created_at', (row) => isoTime(row.created_at)],
  ['completed_at', endedAt],
  ...AMOUNTS,
  ['own_rate_usd', (row) => row.claim_rate_usd],
];

async function* lines(pages: AsyncIterable<OrderRow[]>, fields: Field[]) {
  yield csvLine(fields.map(([name]) => name));
  for await (const rows of pages)
    yield rows.map((row) => csvLine(fields.map(([, valueIn]) => valueIn(row)))).join('');
}

/** All orders that were created in the range, as CSV. */
export const orderLines = (db: Database, range: Range) =>
  lines(readPages<OrderRow>(db, ORDERS, range), FOR_ADMINS);

/** The orders that an LP has completed in the range, as CSV. */
export const historyLines = (db: Database, range: Range, lpId: number) =>
  lines(readPages<OrderRow>(db, HISTORY, range, { lpId }), FOR_LPS);
