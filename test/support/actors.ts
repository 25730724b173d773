import { type Answer, type Call, type Callers, expectStatus } from '../../dev/http-client.ts';
import { type RegisteredAgent, registerAgent, registerLp, sandboxAddress } from '../../dev/registration.ts';
import type { Database } from '../../src/db/orm.ts';
import { eventuallyEquals } from './eventually.ts';

export { deposit } from '../../dev/registration.ts';

export type Agent = RegisteredAgent;

/** An agent with a user to pay for. */
export const newAgent = (callers: Pick<Callers, 'admin' | 'as'>): Promise<Agent> =>
  registerAgent(callers, { key: 'test' });
/** An agent without a limit, for runs with thousands of live orders. */
export const newUnlimitedAgent = (callers: Pick<Callers, 'admin' | 'as'>): Promise<Agent> =>
  registerAgent(callers, { key: 'test', maxExposureUsd: 0 });

export interface LpOptions {
  currency?: string;
  rate?: number;
  spreadBps?: number;
  /** USD. */
  collateral?: number;
  /** Registers an address for usdt on trx, unless false. */
  asset?: boolean;
}

export interface TestLp {
  call: Call;
  key: string;
  id: number;
  address: string;
}

/** An LP that is ready to claim. */
export async function newLp(
  callers: Pick<Callers, 'anyone' | 'as'>,
  { currency = 'KES', rate = 129.5, spreadBps = 0, collateral = 1_000, asset = true }: LpOptions = {},
): Promise<TestLp> {
  const address = sandboxAddress();
  const { call, key, id } = await registerLp(callers, {
    ...{ currency, rateUsd: rate, spreadBps, collateralUsd: collateral },
    asset: asset ? { chain: 'trx', address } : null,
  });
  return { call, key, id, address };
}

/** A recipient in each currency that the tests pay in. Other currencies have no corridor and take any text. */
const RECIPIENTS: Record<string, string> = {
  GHS: '+233241234567',
  NGN: '+2348031234567',
  RWF: '+250788123456',
  TZS: '+255754123456',
  UGX: '+256700123456',
  XOF: '+221771234567',
};

export const recipientIn = (currency: unknown): string =>
  RECIPIENTS[String(currency).toUpperCase()] ?? '+254700123456';

/** Creates a payment; `changes` replace fields of the default body. */
export function pay(
  agent: Agent,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const body = {
    amount: 1_295,
    currency: 'KES',
    recipient: recipientIn(changes.currency),
    user_id: agent.userId,
    ...changes,
  };
  return agent.call('POST', '/api/v1/pay', body, headers);
}

export const newOrder = async (agent: Agent, changes: Record<string, unknown> = {}): Promise<number> =>
  (await expectStatus(201, pay(agent, changes))).order_id;

type Caller = { call: Call };

export const claim = (lp: Caller, orderId: number) => lp.call('POST', `/api/orders/${orderId}/claim`, {});
export const fiatSent = (lp: Caller, orderId: number) =>
  lp.call('POST', `/api/orders/${orderId}/fiat-sent`, {});
export const confirm = (agent: Caller, orderId: number) =>
  agent.call('POST', `/api/v1/confirm/${orderId}`, {});
export const settle = (agent: Caller, orderId: number, tx_hash: string) =>
  agent.call('POST', `/api/v1/settle/${orderId}`, { tx_hash });
export const cancel = (agent: Caller, orderId: number, body: object = {}) =>
  agent.call('POST', `/api/v1/cancel/${orderId}`, body);
export const release = (lp: Caller, orderId: number, body: object = {}) =>
  lp.call('POST', `/api/orders/${orderId}/release`, body);
/** Opens a dispute as the agent. */
export const dispute = (agent: Caller, orderId: number) =>
  agent.call('POST', `/api/v1/dispute/${orderId}`, { reason: 'Nothing has arrived' });
/** Opens a dispute as the LP that has the order, or contests its loss as the LP that had it. */
export const disputeByLp = (lp: Caller, orderId: number, reason = 'I have paid') =>
  lp.call('POST', `/api/orders/${orderId}/dispute`, { reason });
/** Sends an admin's command on an order. */
export const adminDoes = (admin: Call, verb: string, orderId: number, body: object = {}) =>
  admin('POST', `/api/admin/orders/${orderId}/${verb}`, { reason: 'The operator looked into it', ...body });

/** Expires the deadline of an order's present stage. */
export async function expireNow({ call }: Caller, orderId: number): Promise<Answer> {
  const { status } = await expectStatus(200, call('GET', `/api/orders/${orderId}`));
  return call('POST', `/sandbox/orders/${orderId}/advance`, { status });
}

export const statusOf = async (agent: Agent, orderId: number): Promise<string> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`))).status;

/** Returns the order as an admin sees it. */
export async function rowOf(admin: Call, orderId: number) {
  const { orders } = await expectStatus(200, admin('GET', `/api/admin/orders?limit=1&cursor=${orderId + 1}`));
  return orders[0];
}

/** The last transition of an order. */
export async function lastTransition(admin: Call, orderId: number) {
  const timeline = await expectStatus(200, admin('GET', `/api/admin/orders/${orderId}/timeline`));
  return timeline.transitions.at(-1);
}

/** Makes orders that have been claimed, paid out and confirmed, by these steps. */
export const confirmsOrders =
  (by: {
    newOrder: (agent: Agent, changes: Record<string, unknown>) => Promise<number>;
    claim: (lp: TestLp, orderId: number) => Promise<Answer>;
    fiatSent: (lp: TestLp, orderId: number) => Promise<Answer>;
    confirm: (agent: Agent, orderId: number) => Promise<Answer>;
  }) =>
  async (agent: Agent, lp: TestLp, changes: Record<string, unknown> = {}): Promise<number> => {
    const orderId = await by.newOrder(agent, changes);
    await expectStatus(200, by.claim(lp, orderId));
    await expectStatus(200, by.fiatSent(lp, orderId));
    await expectStatus(200, by.confirm(agent, orderId));
    return orderId;
  };
/** An order that has been claimed, paid out and confirmed. */
export const confirmedOrder = confirmsOrders({ newOrder, claim, fiatSent, confirm });

/** Creates, claims, pays and settles an order. Returns its id. */
export async function completedOrder(
  callers: Pick<Callers, 'anyone'>,
  agent: Agent,
  lp: TestLp,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const orderId = await confirmedOrder(agent, lp, changes);
  await expectStatus(200, settle(agent, orderId, await payment(callers, agent, orderId)));
  await eventuallyEquals(() => statusOf(agent, orderId), 'completed');
  return orderId;
}

/** Puts an order's payment on the simulated chain, and returns its hash. `changes` can make it a wrong payment. */
export async function payment(
  { anyone }: Pick<Callers, 'anyone'>,
  agent: Agent,
  orderId: number,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const order = await expectStatus(200, agent.call('GET', `/api/orders/${orderId}`));
  const { lp_receive_address: to, amount_crypto: amount, crypto_chain: chain, crypto_symbol: symbol } = order;
  return transaction(anyone, to, amount, { chain, symbol, ...changes });
}

/** Puts a payment on the simulated chain, and returns its hash. `changes` replace its fields. */
export async function transaction(
  anyone: Call,
  to: string,
  amount: number,
  changes: Record<string, unknown> = {},
) {
  const body = { chain: 'trx', symbol: 'usdt', to, amount, ...changes };
  return (await expectStatus(201, anyone('POST', '/sandbox/transactions', body))).tx_hash as string;
}

/** An LP's collateral in USD, in whole cents: the exact amount of a deposit is less than a cent above the announced one. */
export async function collateralOf({ db }: { db: Database }, lp: TestLp) {
  const sql =
    'select trunc(available, 2)::float as available, locked::float from lp_collateral where lp_id = $1';
  const [row] = await db.query<{ available: number; locked: number }>('test-collateral', sql, [lp.id]);
  if (!row) throw new Error(`LP ${lp.id} has no collateral account`);
  return row;
}
