import type { Chain } from '../../domain/assets.ts';
import { decide } from '../../domain/order-decision.ts';
import { type OrderState, type OrderStatus, type WaitingFor, waitingFor } from '../../domain/order-state.ts';

/** Facts about an order's parties that the text names. */
export interface OrderParties {
  agentKeyId: number;
  chain: Chain;
  /** The order has a receipt, so fiat may have been sent. */
  hasReceipt: boolean;
}

/** The next action that an order waits for. */
export interface NextMove {
  waitingFor: Exclude<WaitingFor, 'nobody'>;
  /** A clause: "LP 7 has to send the fiat". */
  what: string;
  /** ISO 8601; null if no clock runs. */
  dueAt: string | null;
  /** The status that the order enters at its deadline; null if no clock runs. */
  otherwise: OrderStatus | null;
}

/** Null: the order has ended. */
export function nextMove(order: OrderState, parties: OrderParties): NextMove | null {
  const party = waitingFor(order);
  if (party === 'nobody') return null;
  const found = order.status === 'claimed' && parties.hasReceipt ? ({ found: 'receipt' } as const) : {};
  const missed = decide(order, { trigger: 'deadline', version: order.version, ...found });
  return {
    waitingFor: party,
    what: order.frozenMs === null ? moveOf(order, parties) : 'an admin has to unfreeze it',
    dueAt: order.timeoutAt,
    otherwise: order.timeoutAt !== null && missed.kind === 'apply' ? missed.to : null,
  };
}

function moveOf({ status, lpId, txHash }: OrderState, { agentKeyId, chain }: OrderParties): string {
  const moves: Record<OrderStatus, string> = {
    matched: 'an LP has to claim it',
    claimed: `LP ${lpId} has to send the fiat`,
    fiat_sent: `agent key ${agentKeyId} has to confirm that the fiat has arrived`,
    confirmed: `agent key ${agentKeyId} has to pay LP ${lpId} on ${chain} and settle with the transaction`,
    crypto_verify_pending: `transaction ${txHash} has to be final on ${chain}`,
    disputed: 'an admin has to resolve the dispute',
    completed: '',
    cancelled: '',
  };
  return moves[status];
}
