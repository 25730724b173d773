import type { Chain } from './assets.ts';
import { decide } from './order-decision.ts';
import { type OrderState, type OrderStatus, type WaitingFor, waitingFor } from './order-state.ts';

/** Who can act on an order. */
export interface OrderParties {
  agentKeyId: number;
  chain: Chain;
}

/** Who has to act next, in words; null at the order's end. */
export interface NextMove {
  waitingFor: Exclude<WaitingFor, 'nobody'>;
  /** A clause: "LP 7 has to send the fiat". */
  what: string;
  /** ISO 8601; null while no clock runs. */
  dueAt: string | null;
  /** What becomes of the order where nothing comes in time; null while no clock runs. */
  otherwise: OrderStatus | null;
}

export function nextMove(order: OrderState, parties: OrderParties): NextMove | null {
  const whom = waitingFor(order);
  if (whom === 'nobody') return null;
  const frozen = order.frozenMs !== null;
  const missed = decide(order, { trigger: 'deadline', version: order.version });
  return {
    waitingFor: whom,
    what: frozen ? 'an admin has to unfreeze it' : moveOf(order, parties),
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
