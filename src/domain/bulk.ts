import type { OrderStatus } from './order-state.ts';
import type { Permission } from './permissions.ts';

/** What an admin may do to many orders at once. Each is the command of this name on one order. */
export const BULK_ACTIONS = [
  'extend',
  'freeze',
  'unfreeze',
  'redeliver',
  'cancel',
  'retry-verification',
] as const;
export type BulkAction = (typeof BULK_ACTIONS)[number];

/** The permission of the single command: a role that may not cancel one order may not cancel many. */
export const BULK_PERMISSION: Record<BulkAction, Permission> = {
  extend: 'orders:operate',
  freeze: 'orders:operate',
  unfreeze: 'orders:operate',
  cancel: 'orders:operate',
  'retry-verification': 'orders:operate',
  redeliver: 'webhooks:redeliver',
};

/** What `extend` needs: a new deadline (ISO 8601), or the milliseconds by which each order's deadline moves. */
export interface BulkArguments {
  until?: string;
  by_ms?: number;
}

/** What a dry run selected. Amounts are decimal strings. */
export interface BulkSelection {
  statuses: { status: OrderStatus; orders: number }[];
  totals: { currency: string; orders: number; amount_fiat: string; amount_usd: string }[];
}

/**
 * What became of an order in a bulk run. `moved`: the order is no longer as the dry run showed it, and the run left it
 * alone. `unanswered`: its workflow did not answer; the command may still be carried out.
 */
export const BULK_OUTCOMES = ['applied', 'already', 'moved', 'refused', 'unanswered'] as const;
export type BulkOutcome = (typeof BULK_OUTCOMES)[number];

/** How far a run is. `isDone`: nothing is left to do, or the run may not go on. */
export interface BulkProgress {
  isDone: boolean;
  treated: number;
  orders: number;
}

export const BULK_STATES = ['prepared', 'expired', 'running', 'stopping', 'stopped', 'finished'] as const;
export type BulkState = (typeof BULK_STATES)[number];

/** The times of a run that its state follows from. Null: not yet. */
export interface BulkTimes {
  expires_at: Date;
  started_at: Date | null;
  stopped_at: Date | null;
  finished_at: Date | null;
}

export function bulkState(
  { expires_at, started_at, stopped_at, finished_at }: BulkTimes,
  now: Date,
): BulkState {
  if (!started_at) {
    if (stopped_at) return 'stopped';
    return now < expires_at ? 'prepared' : 'expired';
  }
  if (stopped_at) return finished_at ? 'stopped' : 'stopping';
  return finished_at ? 'finished' : 'running';
}

/** One run takes at most this many orders, so that its dry run is one short statement. */
export const MAX_BULK_ORDERS = 50_000;
/** A run starts at most this long after its dry run, in ms. */
export const DRY_RUN_VALID_MS = 30 * 60_000;
export const MAX_FILTER_LENGTH = 500;
