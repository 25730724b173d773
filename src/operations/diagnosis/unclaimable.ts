import type { Order } from '../../db/entities/order.ts';
import type { Database } from '../../db/orm.ts';
import { corridorName } from '../../domain/delivery.ts';
import { decimal } from '../../domain/money.ts';
import { type NearestClaimant, nearestClaimant } from '../../orders/nearest-claimant.ts';

/**
 * Why no LP claims an open order, in a clause; null: some LP could, or the order waits for no claim. `coolDown`: the first
 * cool-down after a strike, in ms.
 */
export async function whyUnclaimable(db: Database, order: Order, coolDown: number): Promise<string | null> {
  if (order.status !== 'matched' || order.frozen_ms != null) return null;
  return unclaimableText(order, await nearestClaimant(db, order.id, coolDown));
}

type Payout = Pick<Order, 'amount_fiat' | 'currency' | 'corridor_method' | 'crypto_symbol' | 'crypto_chain'>;

export function unclaimableText(order: Payout, nearest: NearestClaimant | undefined): string | null {
  if (!nearest) return `no LP can claim it now: none has terms for ${corridorOf(order)}`;
  const { lp_id, missing } = nearest;
  if (missing === 'nothing') return null;
  if (missing === 'rate')
    return `every LP that can claim it has let its rate expire: LP ${lp_id} can claim by hand, and Corridor claims for none`;
  return `no LP can claim it now: LP ${lp_id} is the nearest, and ${LACKS[missing](nearest, order)}`;
}

const corridorOf = ({ currency, corridor_method }: Payout) => corridorName(currency, corridor_method);
const plain = (amount: string) => decimal(amount).toFixed();

const LACKS: Record<
  Exclude<NearestClaimant['missing'], 'nothing' | 'rate'>,
  (lp: NearestClaimant, order: Payout) => string
> = {
  approval: ({ status }) => `is ${status}`,
  another_claim: () => 'has released or failed it',
  quoting: (_lp, order) => `has stopped quoting ${corridorOf(order)}`,
  band: ({ min_fiat, max_fiat }, { amount_fiat, currency }) =>
    `takes ${max_fiat === null ? `${min_fiat} ${currency} or more` : `${min_fiat} to ${max_fiat} ${currency}`}, not ${plain(amount_fiat)}`,
  address: (_lp, { crypto_symbol, crypto_chain }) => `has no address for ${crypto_symbol} on ${crypto_chain}`,
  float: ({ float_available }, { amount_fiat, currency }) =>
    `has a float of ${float_available} ${currency} for an order of ${plain(amount_fiat)}`,
  collateral: ({ available, locks }) =>
    `has ${available} USD of free collateral for an order that locks ${locks} USD`,
  cool_down: ({ cooling_until }) =>
    `cools down after a strike until ${cooling_until && new Date(cooling_until).toISOString()}`,
};
