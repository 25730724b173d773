import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createEnding, endOnSignals } from '../demo/ending.ts';
import { caller } from '../demo/http.ts';
import { startOwnCorridor } from '../demo/own-corridor.ts';
import { loadSecrets } from '../src/secrets.ts';
import { type Agent, claim, newAgent, newLp, newOrder, type TestLp } from '../test/support/actors.ts';
import { eventually } from '../test/support/eventually.ts';
import { served } from '../test/support/served.ts';
import { percentile } from './figures.ts';

const USAGE = `usage: npm run bench:receivers -- [--rounds N] [--orders N] [--pace N]

By how much a receiver that hangs holds up the webhooks of another. Rounds in which the other one answers and rounds
in which it hangs take turns; what is done is the same in both. Prints from the call of a claim to its webhook.
  --rounds  of each kind (5)
  --orders  of each receiver in a round (100)
  --pace    claims a second, of both receivers together (8)`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    orders: { type: 'string', default: '100' },
    pace: { type: 'string', default: '8' },
    help: { type: 'boolean', short: 'h' },
  },
});
const [rounds, orders, pace] = [Number(values.rounds), Number(values.orders), Number(values.pace)];

const say = (line: string) => process.stdout.write(`${line}\n`);
const ending = createEnding(say);
endOnSignals(ending.come);
/** A webhook that hangs for longer is given up, and so would hang no more. */
const LONGEST_ROUND_S = 25;
if (values.help) say(USAGE);
else if ((orders * 2) / pace > LONGEST_ROUND_S)
  throw new RangeError(`--orders × 2 ÷ --pace is a round's seconds, and may be ${LONGEST_ROUND_S} at most`);
else await main().finally(ending.come);

/** Hears webhooks; while it hangs it answers none of them. */
interface Receiver {
  url: string;
  /** When each order's webhook came first, by `performance.now()`. */
  heardAt: Map<number, number>;
  /** Orders whose webhook was answered. */
  answered: Set<number>;
  hang: () => void;
  /** Answers all that waited, and from now on each at once. */
  goOn: () => void;
}

async function main(): Promise<void> {
  const settings = { PAY_RATE_LIMIT: '0', WEBHOOK_ALLOW_PRIVATE: 'true', CLAIM_TIMEOUT: '1h' };
  const { config } = await startOwnCorridor({ settings, progress: say, ending });
  const as = (key?: string) => caller(config.publicUrl, key);
  const corridor = { anyone: as(), admin: as((await loadSecrets(config)).adminApiKey), as };
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor, { collateral: 1_000_000 });
  const [one, other] = [await startReceiver(), await startReceiver()];

  // The first round makes the code warm and counts for nothing.
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

/** The milliseconds from the call of each claim of `one`'s orders to its webhook, in a round of claims at an even pace. */
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
    claims.push(served(() => claim(lp, id)));
  }
  await Promise.all(claims);
  const ids = (receiver: Receiver) => made.filter((order) => order.receiver === receiver).map(({ id }) => id);
  await eventually(async () => ids(one).every((id) => one.heardAt.has(id)));
  other.goOn();
  // Nothing of this round may be at work in the next.
  await eventually(async () => ids(other).every((id) => other.answered.has(id)), 120_000);
  return ids(one).map((id) => Number(one.heardAt.get(id)) - Number(calledAt.get(id)));
}

async function startReceiver(): Promise<Receiver> {
  const heardAt = new Map<number, number>();
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
    if (!heardAt.has(id)) heardAt.set(id, performance.now());
    if (!hangs) return answer(response, id);
    waiting.set(response, id);
    // The service has given up; it comes again.
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ending.add(async () => {
    server.close();
    server.closeAllConnections();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    heardAt,
    answered,
    hang: () => {
      hangs = true;
    },
    goOn: () => {
      hangs = false;
      for (const [response, id] of waiting) answer(response, id);
    },
  };
}

function ms(all: number[], p: number): string {
  return `${percentile(all, p).toFixed(1)} ms`;
}
