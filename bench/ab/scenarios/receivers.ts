import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { claim, newLp, newOrder, newUnlimitedAgent } from '../../../test/support/actors.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { retryWhile503 } from '../../../test/support/retry-while-503.ts';
import { type Given, ownCorridor, percentiles, type Scenario, UNLIMITED } from '../scenario.ts';

/** In a longer round, Corridor would give up hanging webhooks before the round ends. */
const LONGEST_ROUND_S = 25;

export const RECEIVERS: Scenario = {
  question:
    'How much does a hanging receiver delay the webhooks of another? orders: per receiver; pace: claims a second.',
  sizes: { orders: 100, pace: 8 },
  rounds: 5,
  warms: true,
  async start(given) {
    const [orders, pace] = [given.size('orders'), given.size('pace')];
    if ((orders * 2) / pace > LONGEST_ROUND_S)
      throw new RangeError(`orders × 2 ÷ pace is the length of a round: at most ${LONGEST_ROUND_S} seconds`);
    const { corridor } = await ownCorridor(given, { ...UNLIMITED, CLAIM_TIMEOUT: '1h' });
    const agent = await newUnlimitedAgent(corridor);
    const lp = await newLp(corridor, { collateral: 1_000_000 });
    const [one, other] = [await startReceiver(given), await startReceiver(given)];
    /** Claims orders of both receivers at an even pace, and times from a claim to the webhook of `one`. */
    const round = async (hangs: boolean) => {
      const made: { id: number; receiver: Receiver }[] = [];
      for (let n = 0; n < orders; n++)
        for (const receiver of [one, other])
          made.push({ id: await newOrder(agent, { callback_url: receiver.url }), receiver });
      if (hangs) other.hang();
      const calledAt = new Map<number, number>();
      const claims: Promise<unknown>[] = [];
      const began = performance.now();
      for (const [n, { id }] of made.entries()) {
        await delay(Math.max(0, began + (n * 1_000) / pace - performance.now()));
        calledAt.set(id, performance.now());
        claims.push(retryWhile503(() => claim(lp, id)));
      }
      await Promise.all(claims);
      const ids = (receiver: Receiver) => made.filter((it) => it.receiver === receiver).map(({ id }) => id);
      await eventually(async () => ids(one).every((id) => one.receivedAt.has(id)));
      other.resume();
      // No work of this round may continue in the next.
      await eventually(async () => ids(other).every((id) => other.answered.has(id)), 120_000);
      const took = ids(one).map((id) => Number(one.receivedAt.get(id)) - Number(calledAt.get(id)));
      return percentiles('claim to webhook', took, 50, 99);
    };
    return { answers: () => round(false), hangs: () => round(true) };
  },
};

/** Receives webhooks. While it hangs, it answers none of them. */
interface Receiver {
  url: string;
  /** The first arrival of each order's webhook, by `performance.now()`. */
  receivedAt: Map<number, number>;
  /** Orders whose webhook was answered. */
  answered: Set<number>;
  hang: () => void;
  /** Answers all waiting webhooks, and each new one immediately. */
  resume: () => void;
}

async function startReceiver({ cleanup }: Given): Promise<Receiver> {
  const receivedAt = new Map<number, number>();
  const answered = new Set<number>();
  const waiting = new Map<ServerResponse, number>();
  let hangs = false;
  const answer = (response: ServerResponse, id: number) => {
    answered.add(id);
    response.writeHead(200).end();
  };
  const server = createServer(async (request, response) => {
    const { order_id: id } = (await json(request)) as { order_id: number };
    if (!receivedAt.has(id)) receivedAt.set(id, performance.now());
    if (!hangs) return answer(response, id);
    waiting.set(response, id);
    // The service timed out. It will retry.
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup.add(async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    ...{ receivedAt, answered },
    hang: () => {
      hangs = true;
    },
    resume: () => {
      hangs = false;
      for (const [response, id] of waiting) answer(response, id);
    },
  };
}
