import { normaliseTxHash } from '../domain/assets.ts';
import type { OrderState, OrderStatus } from '../domain/order-state.ts';
import { VIEW_COLUMNS } from '../domain/order-view.ts';

/** Columns of `orders` that make up an order's state. */
export const STATE_COLUMNS =
  'version, status, lp_id, excluded_lp_ids, user_crypto_tx_hash, reoffers, rejections, replacements, timeout_at, frozen_ms, slashed_usd, rejected_tx_hashes';

/** Those columns as a statement or the ORM reads them. */
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

/** SQL for the JSON that an event keeps of a row: the columns that parties may see, and no recipient. */
export const snapshot = (row: string) =>
  `jsonb_build_object(${Object.keys(VIEW_COLUMNS)
    .map((column) => `'${column}', ${row}.${column}`)
    .join(', ')})`;
