import type { ExpectedPayment } from '../adapters/ports.ts';
import { Order } from '../db/entities/order.ts';
import { OrderEvent } from '../db/entities/order-log.ts';
import type { Database } from '../db/orm.ts';
import { type Chain, isChain, normaliseTxHash } from '../domain/assets.ts';
import { earliestBlock } from '../domain/payment-verdict.ts';
import type { Verification } from './record-verdict.ts';

/** The payment that an order waits for, and the verification that a check of it belongs to. */
export interface PaymentToVerify {
  payment: ExpectedPayment;
  verification: Verification & { chain: Chain };
}

/** Returns the payment that an order waits for. `clockSkewMs`: how far the chain's clock may be behind. */
export async function expectedPayment(
  db: Database,
  orderId: number,
  clockSkewMs: number,
): Promise<PaymentToVerify> {
  const order = await db.em().findOneOrFail(Order, { id: orderId });
  const { version, crypto_chain: chain, lp_receive_address: recipient, user_crypto_tx_hash: given } = order;
  if (!isChain(chain) || !recipient || !given) {
    throw new Error(`Order ${orderId} (${order.status}) has no transaction to verify`);
  }
  const txHash = normaliseTxHash(given);
  const { claimedAt, settleBy } = await stagesOf(db, orderId);
  const payment = {
    symbol: order.crypto_symbol,
    txHash,
    recipient,
    destinationTag: order.destination_tag ?? null,
    amount: order.amount_crypto,
    notBefore: earliestBlock(claimedAt, clockSkewMs),
    dueBy: settleBy,
    platformMaySend: false,
  };
  return { payment, verification: { orderId, version, chain, txHash } };
}

/**
 * Returns the time of the claim and the order's settle deadline from its events. The row does not have the time of the
 * claim, and it already has the deadline of the verification. A reoffered order counts from its latest claim, because
 * each claim sets a new address.
 */
async function stagesOf(db: Database, orderId: number): Promise<{ claimedAt: Date; settleBy: Date | null }> {
  const claimed = { from_status: 'matched', status: 'claimed' } as const;
  const events = await db
    .em()
    .find(
      OrderEvent,
      { order_id: orderId, $or: [claimed, { status: 'confirmed' }] },
      { orderBy: { seq: 'desc' } },
    );
  const claim = events.find(({ status }) => status === 'claimed');
  if (!claim) throw new Error(`Order ${orderId} has a receive address, but no event of its claim`);
  const at = events.find(({ status }) => status === 'confirmed')?.snapshot.timeout_at;
  return { claimedAt: claim.created_at, settleBy: typeof at === 'string' ? new Date(at) : null };
}
