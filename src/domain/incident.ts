import type { Chain } from './assets.ts';
import { ANY_METHOD, corridorName } from './delivery.ts';
import type { OrderStatus } from './order-state.ts';

/**
 * What an incident is about: a fiat currency, one of its methods, or a chain. `currency` or `chain` is set, never both.
 * `method` null: all methods of the currency.
 */
export interface IncidentScope {
  currency: string | null;
  method: string | null;
  chain: Chain | null;
}

/**
 * The statuses in which an order waits for what is out of order, so that its clock stands still. Nobody can claim an open
 * order meanwhile. An agent that has confirmed the fiat needs only the chain: to pay, and to have its payment verified.
 */
export const STOPPED_STATUSES = {
  currency: ['matched', 'claimed', 'fiat_sent'],
  chain: ['matched', 'confirmed', 'crypto_verify_pending'],
} as const satisfies Record<'currency' | 'chain', readonly OrderStatus[]>;

/** The facts of an order that decide which incidents stop its clock. */
export interface IncidentOrder {
  status: OrderStatus;
  currency: string;
  method: string;
  crypto_chain: string;
}

/** Whether an open incident of this scope stops the order's clock. The SQL is in `src/db/incidents.ts`. */
export const stopsClock = (scope: IncidentScope, order: IncidentOrder): boolean =>
  scope.chain !== null
    ? scope.chain === order.crypto_chain && isOneOf(STOPPED_STATUSES.chain, order.status)
    : scope.currency === order.currency &&
      (scope.method === null || scope.method === order.method) &&
      isOneOf(STOPPED_STATUSES.currency, order.status);

const isOneOf = (statuses: readonly OrderStatus[], status: OrderStatus): boolean => statuses.includes(status);

/** The scope in words: `trx`, `KES` or `KES by mobile_money`. */
export const incidentName = ({ currency, method, chain }: IncidentScope): string =>
  chain ?? corridorName(currency ?? '', method ?? ANY_METHOD);
