import { upsertSearchAttributes } from '@temporalio/workflow';
import { type OrderState, waitingFor as waiting } from '../src/domain/order-state.ts';
import { SEARCH_ATTRIBUTES } from './messages.ts';

/** Updates the search attributes to the order's state. */
export function upsertState(state: OrderState): void {
  const { orderStatus, version, waitingFor, dueAt, lpId } = SEARCH_ATTRIBUTES;
  upsertSearchAttributes([
    { key: orderStatus, value: state.status },
    { key: version, value: state.version },
    { key: waitingFor, value: waiting(state) },
    { key: dueAt, value: state.timeoutAt === null ? null : new Date(state.timeoutAt) },
    { key: lpId, value: state.lpId },
  ]);
}
