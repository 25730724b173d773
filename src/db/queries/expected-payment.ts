import type { ExpectedPayment } from '../../adapters/ports.ts';
import { type Chain, isChain, normaliseTxHash } from '../../domain/assets.ts';
import { Order } from '../entities/order.ts';
import { OrderEvent } from '../entities/order-log.ts';
import type { Database } from '../orm.ts';

/** The payment that an order waits for, and the chain that it should be on. */
export async function expectedPayment(
  db: Database,
  orderId: number,
): Promise<ExpectedPayment & { chain: Chain }> {
  const order = await db.em().findOneOrFail(Order, { id: orderId });
  const { crypto_chain: chain, lp_receive_address: recipient, user_crypto_tx_hash: txHash } = order;
  if (!isChain(chain) || !recipient || !txHash) {
    throw new Error(`Order ${orderId} (${order.status}) has no transaction to look for`);
  }
  return {
    chain,
    symbol: order.crypto_symbol,
    txHash: normaliseTxHash(txHash),
    recipient,
    amount: order.amount_crypto,
    notBefore: order.created_at,
    dueBy: await settleDeadline(db, orderId),
  };
}

/** The deadline that the order had while it waited to be settled: its own by now is that of the verification. */
async function settleDeadline(db: Database, orderId: number): Promise<Date | null> {
  const confirmed = { order_id: orderId, status: 'confirmed' } as const;
  const event = await db.em().findOne(OrderEvent, confirmed, { orderBy: { seq: 'desc' } });
  const at = event?.snapshot.timeout_at;
  return typeof at === 'string' ? new Date(at) : null;
}
