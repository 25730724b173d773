import { WebSocket } from 'ws';
import type { NewOrder } from '../../src/db/commands/create-order.ts';
import { performStep } from '../../src/db/steps/perform-step.ts';
import { createLogger } from '../../src/log.ts';
import { ORDER_CREATED, openOutcomeChannel } from '../../src/orders/outcome-channel.ts';
import { openBooks } from '../../test/support/books.ts';
import { answer } from '../answering.ts';
import { together } from '../load.ts';
import { STAGES, stepInput } from '../stages.ts';
import { atPace, machineMs, type Pace } from './pace.ts';

/** What the committer can be asked for. `lps`: whose orders they are, in turn. */
export type Request =
  /** Whole orders by sixteen clients, as fast as they go. Answer: commits a second. */
  | { kind: 'orders'; count: number; lps: number[] }
  /** Orders that are created at an even pace. Answer: `Event[]`. */
  | ({ kind: 'creations'; lps: number[] } & Pace)
  /** Texts to the `publish` path of a socket server, at an even pace. `text` has `ID` for the number. Answer: `Event[]`. */
  | ({ kind: 'publications'; port: number; text: string } & Pace);

/** When what all are told of was certain, by the machine's clock, in ms. */
export interface Event {
  id: number;
  at: number;
}

const USAGE = `usage: node bench/parts/committer.ts

Commits orders as API and workers do, each statement announced after its commit, when the program that starts it asks
(src/answering.ts). DATABASE_URL must be set, of a migrated database. Prints "ready", and ends on SIGTERM.`;

const { DATABASE_URL: databaseUrl } = process.env;
if (!databaseUrl || !process.channel) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(2);
}
const books = await openBooks(databaseUrl);
const channel = openOutcomeChannel(databaseUrl, createLogger('warn'));
answer<Request>((request) => {
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
      const input = stepInput(stage, order);
      const { result } = await performStep(books.db, stage.step, input);
      if (result !== 'applied') throw new Error(`${stage.step} of order ${order.id}: ${result}`);
      channel.announce(input.requestId);
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

/** Gives the moment at which it was known to be committed. */
async function create(order: NewOrder): Promise<number> {
  if (!(await books.create(order))) throw new Error(`Order ${order.id} was not created`);
  const at = machineMs();
  channel.announce(ORDER_CREATED);
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
