import type { DemoLp } from '../dev/actors.ts';
import { type Answer, type Call, createCaller, expectStatus } from '../dev/http-client.ts';
import { repeatUnmoved } from '../dev/repeat-unmoved.ts';
import { CHAINS, DEFAULT_CHAIN } from '../src/domain/assets.ts';
import { type LpAction, lpAction } from '../src/domain/sandbox-values.ts';
import { addLp, type Sandbox } from './sandbox.ts';
import { publishSandboxTerms, type Rate } from './sandbox-terms.ts';

/** An order that waits for a simulated LP, as listed by `GET /sandbox/orders`. */
interface WaitingOrder {
  order_id: number;
  recipient: string;
  failed_claims: number;
}

/** Simulated LPs that act on orders for test recipients. */
export interface SandboxLps {
  /** Lists the open orders once, acts on each, and keeps the LPs' terms. */
  work: () => Promise<void>;
}

const SYMBOLS = ['usdt', 'usdc'];
/** USD; ample, because the collateral of disputed orders stays locked. */
const COLLATERAL_USD = 1_000_000;
const NAMES = ['Sandbox LP A', 'Sandbox LP B'] as const;

export const DEFAULT_RATE: Rate = ['KES', 129.5];

/** Registers the LPs and prepares them to claim in every method of these currencies. */
export async function registerSandboxLps(sandbox: Sandbox, rates: readonly Rate[]): Promise<SandboxLps> {
  const { context } = sandbox;
  const { print } = context;
  const admin = createCaller(context.baseUrl, context.adminKey);
  await suspendLeftOver(admin);
  const [[currency, rateUsd] = DEFAULT_RATE] = rates;
  const lps: DemoLp[] = [];
  for (const name of NAMES)
    lps.push(await addLp(sandbox, { name, currency, rateUsd, collateralUsd: COLLATERAL_USD }));
  const [first, second] = lps as [DemoLp, DemoLp];
  const terms = await publishSandboxTerms(context.baseUrl, lps, rates, print);
  await acceptEveryToken(lps, print);
  /** Offers that no LP could claim, by `offerKey`. The LPs try each offer once. */
  const unclaimable = new Set<string>();

  const ACTIONS: Record<LpAction, (order: WaitingOrder) => Promise<unknown>> = {
    pay,
    wait: claim,
    noShow: async (order) => {
      const lp = await claim(order);
      if (!lp) return;
      await expireNow(order, lp.call, 'claimed');
      await forgive(lp);
    },
    release: async (order) => {
      const lp = await claim(order);
      if (!lp) return;
      await step(order, lp, 'release', { reason: 'The sandbox asked for it' }, 'releases it');
      // Only some releases a day are free.
      await forgive(lp);
    },
    dispute: async (order) => {
      const lp = await pay(order);
      if (lp) await step(order, lp, 'dispute', { reason: 'The sandbox asked for it' }, 'disputes it');
    },
    expire: (order) => expireNow(order, admin, 'matched'),
  };

  return {
    work: async () => {
      const { orders } = await expectStatus(200, admin('GET', '/sandbox/orders'));
      for (const order of orders as WaitingOrder[]) {
        const action = lpAction(order.recipient, order.failed_claims);
        if (action && !unclaimable.has(offerKey(order))) await ACTIONS[action](order);
      }
      await terms.keep();
    },
  };

  /** Without a strike, the LP can claim the next order immediately. */
  async function forgive({ id }: DemoLp): Promise<void> {
    const reason = 'The sandbox asked for it';
    await expectStatus(200, admin('POST', `/api/admin/lps/${id}/forgive`, { reason }));
  }

  /**
   * Claims the order, and returns its LP: the second one after a failed claim, or the other one while that cools down. Null:
   * no LP could claim it.
   */
  async function claim(order: WaitingOrder): Promise<DemoLp | null> {
    for (const lp of order.failed_claims === 0 ? [first, second] : [second, first]) {
      // After a 503 the claim may still be carried out: its LP asks again and does not leave the order.
      const answer = await repeatUnmoved(() => lp.call('POST', `/api/orders/${order.order_id}/claim`, {}));
      const isClaimed = answer.status === 200;
      const result = isClaimed ? 'claims it' : `cannot claim it: ${describeAnswer(answer)}`;
      print(`order ${order.order_id}: ${lp.name} ${result}`);
      if (isClaimed) return lp;
      if (answer.headers.get('x-error-code') !== 'lp_cooling_down') {
        unclaimable.add(offerKey(order));
        return null;
      }
    }
    // All cool down. The next attempt finds them without strikes.
    for (const lp of lps) await forgive(lp);
    return null;
  }

  async function step(order: WaitingOrder, lp: DemoLp, verb: string, body: object, words: string) {
    const answer = await repeatUnmoved(() => lp.call('POST', `/api/orders/${order.order_id}/${verb}`, body));
    const result = answer.status === 200 ? words : `fails: ${describeAnswer(answer)}`;
    print(`order ${order.order_id}: ${lp.name} ${result}`);
  }

  async function expireNow({ order_id }: WaitingOrder, call: Call, status: string): Promise<void> {
    const answer = await repeatUnmoved(() => call('POST', `/sandbox/orders/${order_id}/advance`, { status }));
    const result =
      answer.status === 200
        ? `the deadline "${answer.body.deadline}" expires; the order is ${answer.body.status}`
        : `its deadline does not expire: ${describeAnswer(answer)}`;
    print(`order ${order_id}: ${result}`);
  }

  async function pay(order: WaitingOrder): Promise<DemoLp | null> {
    const lp = await claim(order);
    if (lp) await step(order, lp, 'fiat-sent', {}, 'sends the fiat');
    return lp;
  }
}

/** Corridor still quotes the LPs of a killed run, although their program has ended. */
async function suspendLeftOver(admin: Call): Promise<void> {
  let cursor: string | null = null;
  do {
    const page: Answer['body'] = await expectStatus(
      200,
      admin('GET', `/api/admin/lps?status=approved&limit=100${cursor === null ? '' : `&cursor=${cursor}`}`),
    );
    for (const { id, display_name } of page.lps)
      if (NAMES.includes(display_name))
        await expectStatus(200, admin('POST', `/api/admin/lps/${id}/suspend`, {}));
    cursor = page.next_cursor;
  } while (cursor !== null);
}

/**
 * Registers an address for every token, so that the LPs can claim any order. A real chain refuses the invented address.
 */
async function acceptEveryToken(lps: DemoLp[], print: (line: string) => void): Promise<void> {
  for (const chain of CHAINS)
    for (const symbol of SYMBOLS) {
      if (chain === DEFAULT_CHAIN && symbol === 'usdt') continue;
      const answers = await Promise.all(
        lps.map(({ call, own, address }) => call('POST', `${own}/assets`, { symbol, chain, address })),
      );
      const refused = answers.find(({ status }) => status !== 201);
      if (refused) print(`they accept no ${symbol} on ${chain}: ${describeAnswer(refused)}`);
    }
}

/** Corridor offers an order again after each failed claim. */
const offerKey = ({ order_id, failed_claims }: WaitingOrder) => `${order_id}/${failed_claims}`;

const describeAnswer = ({ status, body }: Answer): string =>
  `${status} ${JSON.stringify(body?.error ?? body)}`;
