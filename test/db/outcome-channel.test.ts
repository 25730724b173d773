import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import pino from 'pino';
import {
  type Announcement,
  type OutcomeChannel,
  openOutcomeChannel,
} from '../../src/orders/outcome-channel.ts';
import { createOutcomeWaiter } from '../../src/orders/outcome-waiter.ts';
import { type Books, openBooks } from '../support/books.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';
import { endConnectionsOf } from '../support/waiting-statements.ts';

const log = pino({ level: 'silent' });
let url: string;
let books: Books;
let opened: OutcomeChannel[];
/** What a stranger to the channel's protocol hears on it. */
let payloads: string[];
let eavesdropper: pg.Client;

beforeEach(async () => {
  url = await freshDatabase();
  books = await openBooks(url);
  opened = [];
  payloads = [];
  eavesdropper = new pg.Client({ connectionString: url });
  eavesdropper.on('notification', ({ payload = '' }) => payloads.push(payload));
  await eavesdropper.connect();
  await eavesdropper.query('listen corridor_outcome');
});

afterEach(async () => {
  await Promise.all(opened.map((channel) => channel.close()));
  await eavesdropper.end();
  await books.db.close();
});

/** A process that listens, and what it has heard. */
async function join(): Promise<{ channel: OutcomeChannel; heard: Announcement[] }> {
  const hellos = payloads.filter((payload) => payload === 'hello').length;
  const channel = openOutcomeChannel(url, log);
  opened.push(channel);
  const heard: Announcement[] = [];
  channel.onAnnounced((announcements) => heard.push(...announcements));
  await eventually(async () => payloads.filter((payload) => payload === 'hello').length > hellos);
  return { channel, heard };
}

const notHeartbeats = () => payloads.filter((payload) => !['hello', 'heartbeat'].includes(payload));

test('a process that is alone hears its own announcement at once, and sends nothing', async () => {
  const { channel, heard } = await join();
  const announcement = { requestId: randomUUID(), applied: 'claimed' } as const;
  channel.announce(announcement);
  expect(heard).toEqual([announcement]);
  // A second process makes the first one send. What came before it would have arrived first.
  await join();
  await eventually(async () => payloads.includes('heartbeat'));
  channel.announce({ requestId: 'last' });
  await eventually(async () => notHeartbeats().length > 0);
  expect(notHeartbeats()).toEqual(['last']);
});

test('other processes hear each announcement once, with the status of an applied request', async () => {
  const [first, second, third] = [await join(), await join(), await join()];
  await eventually(async () => payloads.filter((payload) => payload === 'heartbeat').length >= 3);
  const given: Announcement[] = Array.from({ length: 300 }, (_, n) => ({
    requestId: randomUUID(),
    applied: n % 2 === 0 ? 'crypto_verify_pending' : undefined,
  }));
  for (const announcement of given) first.channel.announce(announcement);
  for (const { heard } of [first, second, third]) {
    await eventually(async () => heard.length >= given.length);
    expect(heard).toEqual(given);
  }
});

test('a process that joins again after the loss of its connection is heard again', async () => {
  const [first, second] = [await join(), await join()];
  await eventually(async () => payloads.includes('heartbeat'));
  const before = payloads.filter((payload) => payload === 'hello').length;
  await endConnectionsOf(eavesdropper, 'corridor-outcomes');
  await eventually(async () => payloads.filter((payload) => payload === 'hello').length >= before + 2);
  first.channel.announce({ requestId: 'again', applied: 'confirmed' });
  await eventually(async () => second.heard.length > 0);
  expect(second.heard).toEqual([{ requestId: 'again', applied: 'confirmed' }]);
});

test('closes while its connection is still being made', async () => {
  const database = new URL(url);
  const proxy = await startTcpProxy(database.hostname, Number(database.port));
  proxy.freeze();
  database.port = String(proxy.port);
  const arrived = proxy.passes(1);
  const channel = openOutcomeChannel(database.href, log);
  await arrived;
  await channel.close();
  await proxy.close();
});

describe('the waiter', () => {
  test('answers an applied request from its announcement, without a row to read', async () => {
    const { channel } = await join();
    const waiter = createOutcomeWaiter(books.db, channel, log);
    const requestId = randomUUID();
    const answer = waiter.wait(requestId, 60_000);
    channel.announce({ requestId: randomUUID(), applied: 'cancelled' });
    channel.announce({ requestId, applied: 'claimed' });
    expect(await answer).toEqual({ result: 'applied', status: 'claimed' });
    waiter.close();
  });

  test('reads any other outcome, and one whose announcement is lost', async () => {
    const { channel } = await join();
    const waiter = createOutcomeWaiter(books.db, channel, log);
    const lp = await books.newLp();
    const order = await books.draft(lp, '100');
    await books.create(order);
    const [announced, lost] = [randomUUID(), randomUUID()];
    const answers = [announced, lost].map((id) => waiter.wait(id, 60_000));
    for (const id of [announced, lost]) {
      await books.db.pool.query(
        `insert into order_outcome (request_id, order_id, result, status) values ($1, $2, 'not_your_order', 'matched')`,
        [id, order.id],
      );
    }
    channel.announce({ requestId: announced });
    const outcome = { result: 'not_your_order', status: 'matched' };
    expect(await Promise.all(answers)).toEqual([outcome, outcome]);
    waiter.close();
  });
});
