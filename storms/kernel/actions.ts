import { type Agent, recipientIn, type TestLp } from '../../test/support/actors.ts';
import type { Random } from '../../test/support/random.ts';
import { type Actors, randomHash } from './actors.ts';
import type { CallAttempt, Caller, CallRequest } from './caller.ts';
import { ADMIN_KEY } from './service.ts';

/** The status of the response to an action. 0: there was no response. */
type ResponseStatus = Promise<number>;

/** One order and the actions of its agent, LPs and admin. */
export interface OrderActions {
  random: Random;
  agent: Agent;
  orderId: number;
  /** The order's amount in USDT. */
  crypto: number;
  /** Two LPs that may claim the order. */
  lps: [TestLp, TestLp];
  paidWith: Actors['paidWith'];
  claim: (lp: TestLp) => ResponseStatus;
  fiatSent: (lp: TestLp) => ResponseStatus;
  release: (lp: TestLp) => ResponseStatus;
  confirm: () => ResponseStatus;
  cancel: () => ResponseStatus;
  dispute: (by: 'agent' | TestLp) => ResponseStatus;
  /** Settles with a transaction of `amount` to the LP that owns the order. */
  settle: (amount: number, finalAfterMs?: number) => ResponseStatus;
  settleWith: (hash: string) => ResponseStatus;
  commandAsAdmin: (
    verb: 'resolve' | 'freeze' | 'unfreeze' | 'retry-verification',
    body?: object,
  ) => ResponseStatus;
  redeliver: () => ResponseStatus;
}

const REASON = 'The operator looked into it';
const TRIGGERS = {
  resolve: 'resolve',
  freeze: 'freeze',
  unfreeze: 'unfreeze',
  'retry-verification': 'retryVerification',
};

/** Creates an order with an idempotency key. Returns undefined if no order was created. */
export async function payFor(
  name: string,
  random: Random,
  { agents, lps, paidWith }: Actors,
  call: Caller,
  callbackUrl: string,
  automatic: boolean,
): Promise<OrderActions | undefined> {
  const agent = random.pick(agents);
  const actor = `agent:${agent.keyId}`;
  const [currency, rate] = automatic ? (['UGX', 3_700] as const) : (['KES', 129.5] as const);
  const paid = await call(
    {
      ...{ trigger: 'pay', actor, key: agent.key, detail: name, path: '/api/v1/pay' },
      body: {
        ...{ amount: Math.round(random.integer(2, 60) * rate), currency, recipient: recipientIn(currency) },
        user_id: agent.userId,
        ...(random.chance(0.8) ? { callback_url: callbackUrl } : {}),
      },
      headers: { 'idempotency-key': name },
    },
    random,
  );
  // Any other response is a breach, which the check at the end reports.
  if (!paid?.body?.crypto_required) return undefined;
  const orderId: number = paid.body.order_id;
  const all = automatic ? lps.slice(-2) : lps.slice(0, -2);
  const one = automatic ? (all[1] as TestLp) : random.pick(all);
  const other = random.pick(all.filter((lp) => lp !== one));
  let owner = one;

  const statusOf = async (request: CallRequest): Promise<number> =>
    (await call(request, random))?.status ?? 0;
  const byLp =
    (trigger: string, verb: string, body: object = {}) =>
    async (lp: TestLp) => {
      const path = `/api/orders/${orderId}/${verb}`;
      const status = await statusOf({ trigger, actor: `lp:${lp.id}`, key: lp.key, orderId, path, body });
      if (trigger === 'claim' && status === 200) owner = lp;
      return status;
    };
  const byAgent = (trigger: string, body: object = {}, detail?: string) =>
    statusOf({
      ...{ trigger, actor, key: agent.key, orderId, path: `/api/v1/${trigger}/${orderId}`, body },
      ...(detail ? { detail } : {}),
    });
  const settleWith = (hash: string) => byAgent('settle', { tx_hash: hash }, hash);

  return {
    ...{ random, agent, orderId, crypto: paid.body.crypto_required.amount, lps: [one, other] },
    ...{ paidWith, settleWith },
    claim: byLp('claim', 'claim'),
    fiatSent: byLp('fiatSent', 'fiat-sent'),
    release: byLp('release', 'release'),
    confirm: () => byAgent('confirm'),
    cancel: () => byAgent('cancel'),
    dispute: (by) =>
      by === 'agent'
        ? byAgent('dispute', { reason: REASON })
        : byLp('dispute', 'dispute', { reason: REASON })(by),
    settle: async (amount, finalAfterMs = 0) => {
      const made: CallAttempt | undefined = await call(
        {
          ...{ trigger: 'transaction', actor: 'anyone', key: '', path: '/sandbox/transactions' },
          body: { chain: 'trx', symbol: 'usdt', to: owner.address, amount, final_after_ms: finalAfterMs },
        },
        random,
      );
      return settleWith(made?.body?.tx_hash ?? randomHash());
    },
    commandAsAdmin: (verb, body = {}) =>
      statusOf({
        ...{ trigger: TRIGGERS[verb], actor: 'admin:root', key: ADMIN_KEY, orderId },
        ...{ path: `/api/admin/orders/${orderId}/${verb}`, body: { reason: REASON, ...body } },
        ...('outcome' in body ? { detail: String(body.outcome) } : {}),
      }),
    redeliver: async () => {
      const listed = await call(
        {
          ...{ trigger: 'deliveries', actor, key: agent.key, orderId, method: 'GET' },
          path: `/api/v1/webhook-deliveries?order_id=${orderId}`,
        },
        random,
      );
      const [first] = listed?.body?.deliveries ?? [];
      if (!first) return 0;
      const path = `/api/v1/webhook-deliveries/${first.id}/redeliver`;
      const request = { trigger: 'redeliver', orderId, detail: String(first.id) };
      return statusOf({ ...request, actor, key: agent.key, path, body: {} });
    },
  };
}
