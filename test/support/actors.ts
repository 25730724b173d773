import { randomBytes } from 'node:crypto';
import { type Call, expectStatus } from '../../demo/http.ts';
import type { TestCorridor } from './corridor.ts';
import { eventuallyEquals } from './eventually.ts';

export interface Agent {
  call: Call;
  key: string;
  keyId: number;
  userId: number;
}

/** An agent with a user to pay for. */
export async function newAgent({ admin, as }: Pick<TestCorridor, 'admin' | 'as'>): Promise<Agent> {
  const key = await expectStatus(201, admin('POST', '/api/admin/agent-keys', { name: 'test' }));
  const user = await expectStatus(201, admin('POST', '/api/admin/users', {}));
  return { call: as(key.api_key), key: key.api_key, keyId: key.id, userId: user.id };
}

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
  { anyone, as }: Pick<TestCorridor, 'anyone' | 'as'>,
  options: LpOptions = {},
): Promise<TestLp> {
  const { currency = 'KES', rate = 129.5, spreadBps = 0, collateral = 1_000, asset = true } = options;
  const registered = await expectStatus(
    201,
    anyone('POST', '/api/lp/register', {
      xrpl_address: 'rTestLiquidityProvider11111111',
      mpesa_phone: '+254711000001',
      supported_currencies: { [currency]: rate },
      spread_bps: spreadBps,
    }),
  );
  const lp: TestLp = {
    call: as(registered.lp_key),
    key: registered.lp_key,
    id: registered.lp_id,
    address: `T${randomBytes(16).toString('hex')}`,
  };
  if (asset) {
    const body = { symbol: 'usdt', chain: 'trx', address: lp.address };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, body));
  }
  if (collateral > 0) await deposit(lp, collateral);
  return lp;
}

export async function deposit(lp: TestLp, amount: number): Promise<void> {
  const made = await expectStatus(
    200,
    lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, { amount, asset: 'usdt' }),
  );
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/collateral/${made.deposit_id}/confirm`, {}));
}

/** Creates a payment; `changes` replace fields of the default body. */
export function pay(
  agent: Agent,
  changes: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const body = {
    amount: 1_295,
    currency: 'KES',
    recipient: '+254700123456',
    user_id: agent.userId,
    ...changes,
  };
  return agent.call('POST', '/api/v1/pay', body, headers);
}

/** A new order's id. */
export const newOrder = async (agent: Agent, changes: Record<string, unknown> = {}): Promise<number> =>
  (await expectStatus(201, pay(agent, changes))).order_id;

export const claim = (lp: TestLp, orderId: number) => lp.call('POST', `/api/orders/${orderId}/claim`, {});
export const fiatSent = (lp: TestLp, orderId: number) =>
  lp.call('POST', `/api/orders/${orderId}/fiat-sent`, {});
export const confirm = (agent: Agent, orderId: number) =>
  agent.call('POST', `/api/v1/confirm/${orderId}`, {});
export const settle = (agent: Agent, orderId: number, tx_hash: string) =>
  agent.call('POST', `/api/v1/settle/${orderId}`, { tx_hash });
export const statusOf = async (agent: Agent, orderId: number): Promise<string> =>
  (await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`))).status;

export const cancel = (agent: Agent, orderId: number, body: object = {}) =>
  agent.call('POST', `/api/v1/cancel/${orderId}`, body);
export const release = (lp: TestLp, orderId: number, body: object = {}) =>
  lp.call('POST', `/api/orders/${orderId}/release`, body);
/** By the agent. */
export const dispute = (agent: Agent, orderId: number) =>
  agent.call('POST', `/api/v1/dispute/${orderId}`, { reason: 'Nothing has arrived' });
/** An admin's verb on an order. */
export const adminDoes = (admin: Call, verb: string, orderId: number, body: object = {}) =>
  admin('POST', `/api/admin/orders/${orderId}/${verb}`, { reason: 'The operator looked into it', ...body });

/** What an admin sees of an order. */
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

/** An order that has been claimed, paid and settled. Gives its id. */
export async function completedOrder(
  { anyone }: Pick<TestCorridor, 'anyone'>,
  agent: Agent,
  lp: TestLp,
  changes: Record<string, unknown> = {},
): Promise<number> {
  const orderId = await confirmedOrder(agent, lp, changes);
  const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${orderId}`));
  await expectStatus(200, settle(agent, orderId, await transaction(anyone, lp.address, crypto_amount)));
  await eventuallyEquals(() => statusOf(agent, orderId), 'completed');
  return orderId;
}

/** Puts a payment on the simulated chain; `changes` make it a wrong one. Gives its hash. */
export async function transaction(
  anyone: Call,
  to: string,
  amount: number,
  changes: Record<string, unknown> = {},
) {
  const body = { chain: 'trx', symbol: 'usdt', to, amount, ...changes };
  return (await expectStatus(201, anyone('POST', '/sandbox/transactions', body))).tx_hash as string;
}

/** An LP's collateral in USD. */
export async function collateralOf({ db }: Pick<TestCorridor, 'db'>, lp: TestLp) {
  const sql = 'select available::float, locked::float from lp_collateral where lp_id = $1';
  const [row] = await db.query<{ available: number; locked: number }>('test-collateral', sql, [lp.id]);
  if (!row) throw new Error(`LP ${lp.id} has no collateral account`);
  return row;
}
