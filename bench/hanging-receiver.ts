import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createProgram } from '../dev/cleanup.ts';
import { createCallers } from '../dev/http-client.ts';
import { startOwnCorridor } from '../dev/own-corridor.ts';
import { loadSecrets } from '../src/settings/secrets.ts';
import { type Agent, newLp, newUnlimitedAgent, type TestLp } from '../test/support/actors.ts';
import { eventually } from '../test/support/eventually.ts';
import { NO_RATE_LIMITS } from '../test/support/no-rate-limits.ts';
import { claim, newOrder } from '../test/support/repeated-steps.ts';
import { retryWhile503 } from '../test/support/retry-while-503.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:receivers -- [--rounds N] [--orders N] [--pace N]

Measures how much a hanging receiver delays the webhooks of another. Rounds in which the other receiver answers
alternate with rounds in which it hangs; the work is the same in both. Prints the time from a claim to its webhook.
  --rounds  rounds of each kind (5)
  --orders  orders per receiver and round (100)
  --pace    claims per second, for both receivers together (8)`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    orders: { type: 'string', default: '100' },
    pace: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h' },
  },
});
const [rounds, orders, pace] = [Number(values.rounds), Number(values.orders), Number(values.pace)];

const { say, cleanup } = createProgram();
/** In a longer round, Corridor would give up hanging webhooks before the round ends. */
const LONGEST_ROUND_S = 25;
if (values.help) say(USAGE);
else if ((orders * 2) / pace > LONGEST_ROUND_S)
  throw new RangeError(
    `A round lasts --orders × 2 ÷ --pace seconds, which must be at most ${LONGEST_ROUND_S}`,
  );
else await main().finally(cleanup.run);

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

async function main(): Promise<void> {
  const settings = {
    ...NO_RATE_LIMITS,
    WEBHOOK_ALLOW_PRIVATE: 'true',
    CLAIM_TIMEOUT: '1h',
  };
  const { config } = await startOwnCorridor({ settings, progress: say, cleanup });
  const corridor = createCallers(config.publicUrl, (await loadSecrets(config)).adminApiKey);
  const agent = await newUnlimitedAgent(corridor);
  const lp = await newLp(corridor, { collateral: 1_000_000 });
  const [one, other] = [await startReceiver(), await startReceiver()];

  // The first round is a warm-up and is not counted.
  await round(agent, lp, one, other, false);
  const took = { answers: [] as number[], hangs: [] as number[] };
  for (let n = 1; n <= rounds; n++) {
    for (const kind of n % 2 ? (['answers', 'hangs'] as const) : (['hangs', 'answers'] as const)) {
      const of = await round(agent, lp, one, other, kind === 'hangs');
      took[kind].push(...of);
      say(`round ${n}, the other ${kind.padEnd(7)}  p50 ${ms(of, 50)}  p99 ${ms(of, 99)}`);
    }
  }
  for (const [kind, all] of Object.entries(took))
    say(`the other ${kind.padEnd(7)}  ${all.length} webhooks  p50 ${ms(all, 50)}  p99 ${ms(all, 99)}`);
  const ratio = (p: number) => (percentile(took.hangs, p) / percentile(took.answers, p)).toFixed(2);
  say(`hangs ÷ answers: p50 ${ratio(50)}, p99 ${ratio(99)}`);
}

/** Claims orders of both receivers at an even pace. Returns the milliseconds from claim to webhook of `one`'s orders. */
async function round(agent: Agent, lp: TestLp, one: Receiver, other: Receiver, hangs: boolean) {
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
  const ids = (receiver: Receiver) => made.filter((order) => order.receiver === receiver).map(({ id }) => id);
  await eventually(async () => ids(one).every((id) => one.receivedAt.has(id)));
  other.resume();
  // No work of this round may continue in the next.
  await eventually(async () => ids(other).every((id) => other.answered.has(id)), 120_000);
  return ids(one).map((id) => Number(one.receivedAt.get(id)) - Number(calledAt.get(id)));
}

async function startReceiver(): Promise<Receiver> {
  const receivedAt = new Map<number, number>();
  const answered = new Set<number>();
  const waiting = new Map<ServerResponse, number>();
  let hangs = false;
  const answer = (response: ServerResponse, id: number) => {
    answered.add(id);
    response.writeHead(200).end();
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const id: number = JSON.parse(Buffer.concat(chunks).toString()).order_id;
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
    receivedAt,
    answered,
    hang: () => {
      hangs = true;
    },
    resume: () => {
      hangs = false;
      for (const [response, id] of waiting) answer(response, id);
    },
  };
}

function ms(all: number[], p: number): string {
  return `${percentile(all, p).toFixed(1)} ms`;
}
