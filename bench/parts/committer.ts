import { WebSocket } from 'ws';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { ORDER_CREATED, openOutcomeChannel } from '../../src/orders/outcome-channel.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../../test/support/books.ts';
import { answerParent } from '../answering.ts';
import { together } from '../load.ts';
import { STAGES, stepInput } from '../stages.ts';
import { atPace, machineMs, type Pace } from './pace.ts';

/** The requests that the committer accepts. `lps`: the LPs of its orders, used in turn. */
export type Request =
  /** Complete orders by sixteen clients at full speed. Answer: commits per second. */
  | { kind: 'orders'; count: number; lps: number[] }
  /** Creates orders at an even pace. Answer: `Event[]`. */
  | ({ kind: 'creations'; lps: number[] } & Pace)
  /** Sends texts to the `publish` path of a socket server at an even pace. `ID` in `text` is replaced by a number. Answer: `Event[]`. */
  | ({ kind: 'publications'; port: number; text: string } & Pace);

/** The time at which an event was known to be committed or sent, in ms of the machine's clock. */
export interface Event {
  id: number;
  at: number;
}

const USAGE = `usage: node bench/parts/committer.ts

Commits orders as API and workers do, and announces each commit, when its parent process asks (bench/answering.ts).
DATABASE_URL must name a migrated database. Prints "ready". Ends on SIGTERM.`;

const { DATABASE_URL: databaseUrl } = process.env;
if (!databaseUrl || !process.channel) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const books = await openBooks(databaseUrl);
const channel = openOutcomeChannel(databaseUrl, createLogger('warn'));
answerParent<Request>((request) => {
  if (request.kind === 'orders') return wholeOrders(request);
  if (request.kind === 'creations') return creations(request);
  return publications(request);
});
process.once('SIGTERM', () => process.exit());
process.stdout.write('ready\n');

async function wholeOrders({ count, lps }: { count: number; lps: number[] }): Promise<number> {
  const orders = await drafts(count, lps);
  const began = performance.now();
  await together(count, async (n) => {
    const order = orders[n] as NewOrder;
    await create(order);
    for (const stage of STAGES) {
      if (stage.step === 'complete') await books.check(order.id, 'verified');
      const input = stepInput(stage, order);
      const { result, state } = await performStep(books.db, stage.step, input, NO_LIMITS);
      if (result !== 'applied') throw new Error(`${stage.step} of order ${order.id}: ${result}`);
      channel.announce({ requestId: input.requestId, applied: state.status });
    }
  });
  return (count * (1 + STAGES.length) * 1_000) / (performance.now() - began);
}

async function creations({ lps, ...pace }: { lps: number[] } & Pace): Promise<Event[]> {
  const orders = await drafts(pace.count, lps);
  return atPace(pace, async (n) => {
    const order = orders[n] as NewOrder;
    return { id: order.id, at: await create(order) };
  });
}

/** Creates an order and returns the time at which its commit was known. */
async function create(order: NewOrder): Promise<number> {
  if (!(await books.create(order))) throw new Error(`Order ${order.id} was not created`);
  const at = machineMs();
  channel.announce({ requestId: ORDER_CREATED });
  return at;
}

async function drafts(count: number, lps: number[]): Promise<NewOrder[]> {
  const made: NewOrder[] = [];
  while (made.length < count) made.push(await books.draft(lps[made.length % lps.length] as number, '6475'));
  return made;
}

async function publications({
  port,
  text,
  ...pace
}: { port: number; text: string } & Pace): Promise<Event[]> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/publish`, { perMessageDeflate: false });
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const events = await atPace(pace, async (n) => {
    const event = { id: n, at: machineMs() };
    socket.send(text.replace('ID', String(n)));
    return event;
  });
  socket.close();
  return events;
}
