import { type Answer, type Call, caller, expectStatus } from '../demo/http.ts';
import type { DemoLp } from '../demo/parties.ts';
import { CHAINS, DEFAULT_CHAIN } from '../src/domain/assets.ts';
import { type LpDeed, lpDeed } from '../src/domain/sandbox-values.ts';
import { engageLp, type Sandbox } from './sandbox.ts';

/** An order that waits for a simulated LP, as `GET /sandbox/orders` lists it. */
interface WaitingOrder {
  order_id: number;
  recipient: string;
  let_down: number;
}

/** Simulated LPs that do what the test recipients ask for. */
export interface SandboxLps {
  /** Looks once what is open, and does all of it. Gives how many orders there were. */
  work: () => Promise<number>;
}

const SYMBOLS = ['usdt', 'usdc'];
/** USD: what is disputed stays locked. */
const COLLATERAL_USD = 1_000_000;
const NAMES = ['Sandbox LP A', 'Sandbox LP B'] as const;

/** `rates`: units for 1 USD by currency; the first is what they register with. */
export async function engageSandboxLps(
  sandbox: Sandbox,
  rates: readonly (readonly [string, number])[],
): Promise<SandboxLps> {
  const { scene } = sandbox;
  const { show } = scene;
  const admin = caller(scene.baseUrl, scene.adminKey);
  await suspendForgotten(admin);
  const [[currency, rateUsd] = ['KES', 129.5], ...more] = rates;
  const lps: DemoLp[] = [];
  for (const name of NAMES) {
    const lp = await engageLp(sandbox, { name, currency, rateUsd, collateralUsd: COLLATERAL_USD });
    for (const [code, rate] of more)
      await expectStatus(200, lp.call('POST', `${lp.own}/rates`, { currency: code, rate_usd: rate }));
    lps.push(lp);
  }
  const [first, second] = lps as [DemoLp, DemoLp];
  await takeEveryToken(lps, show);
  /** Orders that could not be claimed, each with how often it had been let down: tried once. */
  const hopeless = new Set<string>();

  const DEEDS: Record<LpDeed, (order: WaitingOrder, lp: DemoLp) => Promise<unknown>> = {
    pay,
    wait: claim,
    noShow: async (order, lp) => {
      if (!(await claim(order, lp))) return;
      await fire(order, lp.call, 'claimed');
      // It is needed for the next order.
      const reason = 'The sandbox asked for a no-show';
      await expectStatus(200, admin('POST', `/api/admin/lps/${lp.id}/forgive`, { reason }));
    },
    release: async (order, lp) => {
      if (await claim(order, lp))
        await step(order, lp, 'release', { reason: 'The sandbox asked for it' }, 'gives it back');
    },
    dispute: async (order, lp) => {
      if (await pay(order, lp))
        await step(order, lp, 'dispute', { reason: 'The sandbox asked for it' }, 'disputes it');
    },
    expire: (order) => fire(order, admin, 'matched'),
  };

  return {
    work: async () => {
      const { orders } = await expectStatus(200, admin('GET', '/sandbox/orders'));
      for (const order of orders as WaitingOrder[]) {
        const deed = lpDeed(order.recipient, order.let_down);
        if (deed && !hopeless.has(turnOf(order)))
          await DEEDS[deed](order, order.let_down === 0 ? first : second);
      }
      return orders.length;
    },
  };

  async function claim({ order_id, let_down }: WaitingOrder, lp: DemoLp): Promise<boolean> {
    const answer = await lp.call('POST', `/api/orders/${order_id}/claim`, {});
    const isMine = answer.status === 200;
    if (!isMine) hopeless.add(turnOf({ order_id, let_down }));
    show(`order ${order_id}: ${lp.name} ${isMine ? 'claims it' : `may not claim it: ${said(answer)}`}`);
    return isMine;
  }

  async function step(order: WaitingOrder, lp: DemoLp, verb: string, body: object, words: string) {
    const answer = await lp.call('POST', `/api/orders/${order.order_id}/${verb}`, body);
    show(
      `order ${order.order_id}: ${lp.name} ${answer.status === 200 ? words : `could not: ${said(answer)}`}`,
    );
  }

  async function fire({ order_id }: WaitingOrder, call: Call, status: string): Promise<void> {
    const answer = await call('POST', `/sandbox/orders/${order_id}/advance`, { status });
    const { deadline, status: now } = answer.body;
    const fired = `the deadline "${deadline}" is fired: ${now}`;
    show(`order ${order_id}: ${answer.status === 200 ? fired : `no deadline was fired: ${said(answer)}`}`);
  }

  async function pay(order: WaitingOrder, lp: DemoLp): Promise<boolean> {
    const isMine = await claim(order, lp);
    if (isMine) await step(order, lp, 'fiat-sent', {}, 'sends the fiat');
    return isMine;
  }
}

/** Those of a run that was killed are quoted, and do nothing. */
async function suspendForgotten(admin: Call): Promise<void> {
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

/** So that an order in any of them can be claimed. A chain that is real here takes no made-up address. */
async function takeEveryToken(lps: DemoLp[], show: (line: string) => void): Promise<void> {
  for (const chain of CHAINS)
    for (const symbol of SYMBOLS) {
      if (chain === DEFAULT_CHAIN && symbol === 'usdt') continue;
      const answers = await Promise.all(
        lps.map(({ call, own, address }) => call('POST', `${own}/assets`, { symbol, chain, address })),
      );
      const refused = answers.find(({ status }) => status !== 201);
      if (refused) show(`no orders in ${symbol} on ${chain}: ${said(refused)}`);
    }
}

const turnOf = ({ order_id, let_down }: Pick<WaitingOrder, 'order_id' | 'let_down'>) =>
  `${order_id}/${let_down}`;

const said = ({ status, body }: Answer): string => `${status} ${JSON.stringify(body?.error ?? body)}`;
