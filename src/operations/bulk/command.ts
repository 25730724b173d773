import type { BulkRun } from '../../db/entities/bulk.ts';
import type { Order } from '../../db/entities/order.ts';
import type { SignalCommand } from '../../domain/order-commands.ts';
import { retryCommand } from '../../orders/commands.ts';
import { hashedUuid } from '../../orders/hashed-uuid.ts';

/**
 * The command of a run on one of its orders: the single command's. Null: a new deadline that has passed already. `stoodStillMs`: for how
 * long the order's clock has stood still; see `stoodStillTimes`.
 */
export function bulkCommand(
  { action, arguments: { until, by_ms } }: Pick<BulkRun, 'action' | 'arguments'>,
  order: Pick<Order, 'timeout_at' | 'user_crypto_tx_hash'>,
  stoodStillMs = 0,
  now = Date.now(),
): SignalCommand | null {
  switch (action) {
    case 'cancel':
      return { trigger: 'cancel', by: 'admin' };
    case 'freeze':
      return { trigger: 'freeze' };
    case 'unfreeze':
      return { trigger: 'unfreeze' };
    case 'retry-verification':
      return retryCommand(order);
    case 'extend': {
      // An order without a deadline gets any, and the state machine refuses it.
      const before = order.timeout_at ? new Date(order.timeout_at).getTime() : now;
      // The extension counts as set now, so the end of an incident gives back nothing of the time before.
      const at = until === undefined ? before + stoodStillMs + (by_ms ?? 0) : Date.parse(until);
      return at > now ? { trigger: 'extend', until: new Date(at).toISOString() } : null;
    }
    case 'redeliver':
      throw new Error('A redelivery is a notice, and no command');
  }
}

/**
 * The id of a run's request to an order. A repeat after a crash has the same id, so it meets the outcome of the first
 * request.
 */
export const bulkRequestId = ({ token }: Pick<BulkRun, 'token'>, orderId: number): string =>
  hashedUuid(['bulk', token, orderId]);
