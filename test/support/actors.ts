import { type Answer, type Call, type Callers, expectStatus } from '../../dev/http-client.ts';
import { type RegisteredAgent, registerAgent, registerLp, sandboxAddress } from '../../dev/registration.ts';
import type { TestCorridor } from './corridor.ts';
import { eventuallyEquals } from './eventually.ts';
import { repeated, retryWhile503 } from './retry-while-503.ts';
import * as single from './single-steps.ts';

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

/** A new order's id. A payment that is answered 503 has changed nothing, so it is repeated. */
export async function newOrder(agent: Agent, changes: Record<string, unknown> = {}): Promise<number> {
  const attempt = async () => {
    const answer = await pay(agent, changes);
    if (answer.status === 503) process.stderr.write('a payment was answered 503, and is repeated\n');
    return answer;
  };
  return (await expectStatus(201, retryWhile503(attempt))).order_id;
}

export const claim = repeated(single.claim);
export const fiatSent = repeated(single.fiatSent);
export const confirm = repeated(single.confirm);
/** Settles an order. A 409 counts as 200 if an earlier call without a response has completed the order. */
export async function settleAgain(agent: Agent, orderId: number, tx_hash: string): Promise<Answer> {
  const answer = await single.settle(agent, orderId, tx_hash);
  const isDone = answer.status === 409 && (await statusOf(agent, orderId)) === 'completed';
  return isDone ? { ...answer, status: 200 } : answer;
}
export const settle = repeated(single.settle, settleAgain);
export const statusOf = async (agent: Agent, orderId: number): Promise<string> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`))).status;

export const cancel = repeated(single.cancel);
export const release = repeated(single.release);
export const dispute = repeated(single.dispute);
export const disputeByLp = repeated(single.disputeByLp);
export const adminDoes = repeated(single.adminDoes);

/**
 * Expires the deadline of an order's present stage. After a 503, an order that has another status then counts as expired; that
 * answer has no body.
 */
export async function expireNow({ call }: { call: Call }, orderId: number): Promise<Answer> {
  const read = async () => (await expectStatus(200, call('GET', `/api/orders/${orderId}`))).status;
  const status = await read();
  return retryWhile503(async () => {
    const answer = await call('POST', `/sandbox/orders/${orderId}/advance`, { status });
    return answer.status === 503 && (await read()) !== status
      ? { ...answer, status: 200, body: undefined }
      : answer;
  });
}

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

/** An order that has been claimed, paid out and confirmed. */
export async function confirmedOrder(
  agent: Agent,
  lp: TestLp,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const orderId = await newOrder(agent, changes);
  await expectStatus(200, claim(lp, orderId));
  await expectStatus(200, fiatSent(lp, orderId));
  await expectStatus(200, confirm(agent, orderId));
  return orderId;
}

/** Creates, claims, pays and settles an order. Returns its id. */
export async function completedOrder(
  callers: Pick<TestCorridor, 'anyone'>,
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
  { anyone }: Pick<TestCorridor, 'anyone'>,
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
export async function collateralOf({ db }: Pick<TestCorridor, 'db'>, lp: TestLp) {
  const sql =
    'select trunc(available, 2)::float as available, locked::float from lp_collateral where lp_id = $1';
  const [row] = await db.query<{ available: number; locked: number }>('test-collateral', sql, [lp.id]);
  if (!row) throw new Error(`LP ${lp.id} has no collateral account`);
  return row;
}
