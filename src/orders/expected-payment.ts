import type { ExpectedPayment } from '../adapters/ports.ts';
import type { Database } from '../db/orm.ts';
import { run, statement } from '../db/statement.ts';
import { type Chain, isChain, normaliseTxHash } from '../domain/assets.ts';
import { earliestBlock } from '../domain/payment-verdict.ts';
import type { Verification } from './record-verdict.ts';

/** The payment that an order waits for, and the verification that a check of it belongs to. */
export interface PaymentToVerify {
  payment: ExpectedPayment;
  verification: Verification & { chain: Chain };
}

/**
 * The row has neither the time of the claim nor, once verification has begun, the settle deadline: they are in the order's
 * events. A reoffered order counts from its latest claim, because each claim sets a new address. An incident of the chain stops
 * the settle deadline, so a payment in it is not late.
 */
const EXPECTED_PAYMENT = statement(
  'expected-payment',
  `
select o.version, o.status, o.crypto_symbol, o.crypto_chain, o.amount_crypto, o.lp_receive_address, o.destination_tag,
  o.user_crypto_tx_hash,
  (
    select created_at from order_event
    where order_id = o.id and from_status = 'matched' and status = 'claimed' order by seq desc limit 1
  ) as claimed_at,
  (
    select case when not exists (
        select from incident
        where incident.chain = o.crypto_chain and incident.opened_at < deadline.at
          and (incident.closed_at is null or incident.closed_at > deadline.known_at)
      ) then deadline.at end
    from (
      select (snapshot ->> 'timeout_at')::timestamptz as at, created_at as known_at from order_event
      where order_id = o.id and status = 'confirmed' order by seq desc limit 1
    ) deadline
  ) as settle_by
from orders o where o.id = $orderId`,
);

interface Row extends Record<string, unknown> {
  version: number;
  status: string;
  crypto_symbol: string;
  crypto_chain: string;
  amount_crypto: string;
  lp_receive_address: string | null;
  destination_tag: number | null;
  user_crypto_tx_hash: string | null;
  claimed_at: string | null;
  settle_by: string | null;
}

/**
 * Returns the payment that an order waits for. `clockSkewMs`: how far the chain's clock may be behind. `named`: the
 * transaction that should be the payment. Default: the order's own.
 */
export async function expectedPayment(
  db: Database,
  orderId: number,
  clockSkewMs: number,
  named?: string,
): Promise<PaymentToVerify> {
  const [order] = await run<Row>(db, EXPECTED_PAYMENT, { orderId });
  const { crypto_chain: chain, lp_receive_address: recipient } = order ?? {};
  const given = named ?? order?.user_crypto_tx_hash;
  if (!order || !chain || !isChain(chain) || !recipient || !given) {
    throw new Error(`Order ${orderId} (${order?.status ?? 'missing'}) has no transaction to verify`);
  }
  const { version, claimed_at: claimedAt, settle_by: settleBy } = order;
  if (!claimedAt) throw new Error(`Order ${orderId} has a receive address, but no event of its claim`);
  const txHash = normaliseTxHash(given);
  const payment = {
    symbol: order.crypto_symbol,
    txHash,
    recipient,
    destinationTag: order.destination_tag,
    amount: order.amount_crypto,
    notBefore: earliestBlock(new Date(claimedAt), clockSkewMs),
    dueBy: settleBy === null ? null : new Date(settleBy),
    platformMaySend: false,
  };
  return { payment, verification: { orderId, version, chain, txHash } };
}
