import type { ExpectedPayment } from '../../adapters/ports.ts';
import { isChain, normaliseTxHash } from '../../domain/assets.ts';
import { Order } from '../entities/order.ts';
import type { Database } from '../orm.ts';

/** The payment that an order waits for on its chain. */
export async function expectedPayment(db: Database, orderId: number): Promise<ExpectedPayment> {
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
  };
}
