import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import type { OrderChange } from '../../src/notify/feed/message-types.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';
import { connectFeed } from '../support/feed-client.ts';
import { changesUntil, currentCursor, describeChange } from '../support/feed-position.ts';
import type { TestLp } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The order feed by polling, without a socket. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const [lp, rival] = [await corridor.newLp(), await corridor.newLp()];

const ask = (caller: TestLp, query = '') =>
  caller.call('GET', `/api/lp/${caller.key}/orders/changes${query}`);
const poll = (caller: TestLp, query = '') => expectStatus(200, ask(caller, query));
const described = (changes: OrderChange[]) => changes.map(describeChange);

test('it returns the same changes and cursors as the socket', async () => {
  const client = await connectFeed(corridor.config.publicUrl, { key: lp.key });
  const { cursor } = await client.next('snapshot');
  const [mine, theirs, nobodys] = [await agent.newOrder(), await agent.newOrder(), await agent.newOrder()];
  await expectStatus(200, lp.claim(mine));
  await expectStatus(200, rival.claim(theirs));
  await expectStatus(200, lp.fiatSent(mine));
  await expectStatus(200, agent.cancel(nobodys));
  await client.next('order.closed', ({ id }) => id === nobodys);
  await client.close();
  const received = client.received.filter(({ type }) => /^order\./.test(type)) as OrderChange[];
  expect(described(received)).toEqual([
    `${mine} open matched`,
    `${theirs} open matched`,
    `${nobodys} open matched`,
    `${mine} closed claimed`,
    `${mine} updated claimed`,
    `${theirs} closed claimed`,
    `${mine} updated fiat_sent`,
    `${nobodys} closed cancelled`,
  ]);

  expect(await changesUntil(lp, cursor, `${nobodys} closed cancelled`)).toEqual(received);
  // A poll from each message's cursor returns exactly the rest, even between the two messages about one claim.
  for (const [i, { cursor: behind }] of received.entries())
    expect((await poll(lp, `?cursor=${behind}`)).changes).toEqual(received.slice(i + 1));
});

test('it starts at the current feed position, and repeats nothing', async () => {
  await currentCursor(lp, agent);
  const start = await poll(lp);
  expect(start).toEqual({ changes: [], cursor: expect.any(String), poll_again_ms: 3_000 });
  const opened = `${await agent.newOrder()} open matched`;
  await changesUntil(lp, start.cursor, opened);
  const first = await poll(lp, `?cursor=${start.cursor}`);
  expect([described(first.changes), first.poll_again_ms]).toEqual([[opened], 1_000]);
  expect((await poll(lp, `?cursor=${first.cursor}`)).changes).toEqual([]);
});

test('it returns the open orders in the requested currencies', async () => {
  const cursor = await currentCursor(lp, agent);
  const opened = `${await agent.newOrder()} open matched`;
  await changesUntil(lp, cursor, opened);
  expect((await poll(lp, `?cursor=${cursor}&currencies=ugx,tzs`)).changes).toEqual([]);
  expect(described((await poll(lp, `?cursor=${cursor}&currencies=UGX,kes`)).changes)).toEqual([opened]);
});

test('an LP that gave a claim up learns from its former position that the order closed, and is not offered it', async () => {
  const [one, other] = [await corridor.newLp(), await corridor.newLp()];
  const cursor = await currentCursor(one, agent);
  const id = await agent.newOrder();
  await expectStatus(200, one.claim(id));
  await expectStatus(200, one.release(id));
  await expectStatus(200, other.claim(id));
  const barrier = `${await agent.newOrder()} open matched`;
  const changes = described(await changesUntil(one, cursor, barrier));
  expect(changes).toEqual([
    `${id} closed claimed`,
    `${id} updated claimed`,
    `${id} updated matched`,
    `${id} closed claimed`,
    barrier,
  ]);
});

test('a suspended LP gets only changes of its own orders', async () => {
  const suspended = await corridor.newLp();
  const own = await agent.newOrder();
  await expectStatus(200, suspended.claim(own));
  const cursor = await currentCursor(suspended, agent);
  await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${suspended.id}/suspend`));
  await agent.newOrder();
  await expectStatus(200, suspended.fiatSent(own));
  const sent = `${own} updated fiat_sent`;
  expect(described(await changesUntil(suspended, cursor, sent))).toEqual([sent]);
});

test('a long history arrives in pages without a gap, and an LP that was never approved skips it', async () => {
  const still = await startCorridor({ worker: false });
  try {
    const [payer, reader] = [await still.newAgent(), await still.newLp()];
    const cursor = await currentCursor(reader, payer);
    await copiesOf(still, await payer.newOrder(), 600);
    await changesUntil(reader, cursor, `${await payer.newOrder()} open matched`);
    const first = await poll(reader, `?cursor=${cursor}`);
    expect([first.changes.length, first.poll_again_ms]).toEqual([500, 1]);
    const second = await poll(reader, `?cursor=${first.cursor}`);
    const ids = [...first.changes, ...second.changes].map((change) => change.order.id);
    expect([ids.length, new Set(ids).size]).toEqual([602, 602]);

    const stranger = await still.newLp();
    const register = `update lp set status = 'pending', approved_at = null where id = $1`;
    await still.db.pool.query(register, [stranger.id]);
    const skipped = await poll(stranger, `?cursor=${cursor}`);
    expect([skipped.changes, skipped.poll_again_ms]).toEqual([[], 3_000]);
    await still.db.pool.query(`update lp set status = 'approved' where id = $1`, [stranger.id]);
    const opened = `${await payer.newOrder()} open matched`;
    expect(described(await changesUntil(stranger, skipped.cursor, opened))).toContain(opened);
  } finally {
    await still.stop();
  }
});

test.each([
  ['yesterday', 'must be a cursor from this feed'],
  ['18446744073709551615.1.1', 'is not from this feed: start without a cursor'],
])('it refuses the cursor %s', async (cursor, fault) => {
  expect(await ask(lp, `?cursor=${cursor}`)).toMatchObject({
    status: 400,
    body: { error: { fieldErrors: { cursor: [fault] } } },
  });
});
