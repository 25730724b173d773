import { normaliseTxHash } from '../domain/assets.ts';
import type { OrderState, OrderStatus } from '../domain/order-state.ts';
import { VIEW_COLUMNS } from '../domain/order-view.ts';

/** SQL for the hash in a column as `normaliseTxHash` writes it. */
export const normalisedHash = (column: string) => `regexp_replace(lower(trim(${column})), '^0x', '')`;

/** Columns of `orders` that make up an order's state. */
export const STATE_COLUMNS =
  'version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes';

/** These columns as a statement or the ORM returns them. */
export interface StateRow {
  version: number;
  status: OrderStatus;
  lp_id?: number | null | undefined;
  excluded_lp_ids: (string | number)[];
  user_crypto_tx_hash?: string | null | undefined;
  rejected_tx_hashes: string[];
  reoffers: number;
  rejections: number;
  replacements: number;
  timeout_at?: string | Date | null | undefined;
  frozen_ms?: number | null | undefined;
  slashed_usd?: string | null | undefined;
}

/** The state that `decide` needs, from a row. */
export function orderState(row: StateRow): OrderState {
  return {
    version: row.version,
    status: row.status,
    lpId: row.lp_id ?? null,
    excludedLpIds: row.excluded_lp_ids.map(Number),
    txHash: row.user_crypto_tx_hash ? normaliseTxHash(row.user_crypto_tx_hash) : null,
    rejectedTxHashes: row.rejected_tx_hashes,
    reoffers: row.reoffers,
    rejections: row.rejections,
    replacements: row.replacements,
    timeoutAt: row.timeout_at ? new Date(row.timeout_at).toISOString() : null,
    frozenMs: row.frozen_ms ?? null,
    slashedUsd: row.slashed_usd ?? null,
  };
}

/**
 * SQL: whether the row is in the state that a decision was based on, except for the deadline, which steps read
 * themselves. Version and status do not identify the state: after a failover that lost commits, another state can have
 * both, and anybody who reaches Temporal can forge a state.
 */
export const IS_STATE = `orders.version = $version and orders.status = $from
    and (orders.lp_id, orders.excluded_lp_ids, orders.reoffers, orders.rejections, orders.replacements,
      orders.frozen_ms, orders.slashed_usd, orders.rejected_tx_hashes,
      ${normalisedHash('orders.user_crypto_tx_hash')})
    is not distinct from ($ofLp::bigint, $excludedLps::bigint[], $reoffers::int, $rejections::int, $replacements::int,
      $frozenMs::bigint, $slashed::numeric, $rejectedHashes::varchar[], $currentHash::varchar)`;

/** Values of the parameters of `IS_STATE`. */
export const stateParameters = (state: OrderState) => ({
  version: state.version,
  from: state.status,
  ofLp: state.lpId,
  excludedLps: state.excludedLpIds,
  reoffers: state.reoffers,
  rejections: state.rejections,
  replacements: state.replacements,
  frozenMs: state.frozenMs,
  slashed: state.slashedUsd,
  rejectedHashes: state.rejectedTxHashes,
  currentHash: state.txHash,
});

/** SQL for the JSON snapshot of a row in its event: the columns that parties may see, without the recipient. */
export const snapshot = (row: string) =>
  `jsonb_build_object(${Object.keys(VIEW_COLUMNS)
    .map((column) => `'${column}', ${row}.${column}`)
    .join(', ')})`;
