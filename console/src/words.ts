import { CHAIN_NAMES, CHAINS } from '../../src/domain/assets.ts';
import { type IncidentScope, incidentName } from '../../src/domain/incident.ts';
import type { Trigger } from '../../src/domain/order-commands.ts';
import type { OrderStatus } from '../../src/domain/order-state.ts';

/** What people read for the names of the API, in one place. A name without a word is shown with spaces. */

const ORDER_STATUSES: Record<OrderStatus, string> = {
  matched: 'open',
  claimed: 'claimed',
  fiat_sent: 'fiat sent',
  confirmed: 'confirmed',
  crypto_verify_pending: 'verifying the payment',
  completed: 'completed',
  cancelled: 'cancelled',
  disputed: 'disputed',
};

/** What has moved an order, as its timeline says it. */
const CAUSES: Record<Trigger | 'pay' | 'incident', string> = {
  pay: 'Payment requested',
  claim: 'Claimed',
  autoClaim: 'Claimed automatically',
  fiatSent: 'Fiat sent',
  confirm: 'Fiat confirmed',
  settle: 'Crypto sent',
  verified: 'Payment verified on the chain',
  invalid: 'Transaction rejected',
  retryVerification: 'Verification started again',
  cancel: 'Cancelled',
  release: 'Released',
  dispute: 'Disputed',
  resolve: 'Dispute resolved',
  deadline: 'Deadline missed',
  extend: 'Deadline extended',
  expireNow: 'Deadline expired on request',
  freeze: 'Frozen',
  unfreeze: 'Unfrozen',
  revoke: 'Agent’s key revoked',
  incident: 'Deadline moved after an incident',
};

const ACTORS: Record<string, string> = {
  agent: 'the agent',
  lp: 'an LP',
  admin: 'an admin',
  service: 'Corridor',
  chain: 'the chain',
};

const OTHERS: Record<string, string> = {
  lp: 'LP',
  id: 'id',
  tx_hash: 'transaction hash',
  payment_id: 'payment id',
  integrator_name: 'integrator',
  exhausted: 'not delivered',
};

const find = (table: Record<string, string>, name: string): string => table[name] ?? name.replace(/_/g, ' ');

const NAMES = { ...OTHERS, ...ORDER_STATUSES };
/** A status, a kind or a field: `crypto_verify_pending` is `verifying the payment`. */
export const wordsFor = (name: string): string => find(NAMES, name);
export const causeWords = (cause: string): string => find(CAUSES, cause);
export const actorWords = (kind: string): string => find(ACTORS, kind);
export const chainWords = (chain: string): string => find(CHAIN_NAMES, chain);
/** What an incident is about: `Ethereum`, `KES` or `KES by mobile_money`. */
export const incidentWords = (scope: IncidentScope): string =>
  scope.chain ? chainWords(scope.chain) : incidentName(scope);
/** All chains, for a choice in a form. */
export const chainOptions = CHAINS.map((chain) => [chain, chainWords(chain)] as const);
/** One spelling of a token, such as `USDT`. */
export const tokenWords = (symbol: string): string => symbol.toUpperCase();
