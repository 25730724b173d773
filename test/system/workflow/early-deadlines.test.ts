import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { expectStatus } from '../../../dev/http-client.ts';
import { orderWorkflowId } from '../../../workflows/messages.ts';
import { type Agent, cancel, claim, newAgent, newLp, newOrder, pay, statusOf } from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { databaseWithSkewedClock, setClock } from '../../support/skewed-clock.ts';
import { connectToTemporal } from '../../support/temporal-client.ts';

/** The clocks of Temporal and PostgreSQL disagree. */
let corridor: TestCorridor;
let client: Client;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor({
    databaseUrl: await databaseWithSkewedClock(),
    // The clock moves by an hour, which must not look like an outage. A first attempt may come some seconds late.
    env: { FIAT_TIMEOUT: '8s', OUTAGE_THRESHOLD: '3h' },
  });
  client = await connectToTemporal(corridor);
  agent = await newAgent(corridor);
  // Another LP that the order is offered to.
  await newLp(corridor);
});
afterAll(async () => {
  await client.connection.close();
  await corridor.stop();
});

const rows = async (text: string, id: number) => (await corridor.db.pool.query(text, [id])).rows;
const strikes = async (id: number) => (await rows('select from lp_strike where order_id = $1', id)).length;
/** The results of the deadline's steps, oldest first. The history is updated shortly after the row. */
async function resultsOf(id: number): Promise<string> {
  const { workflow } = client;
  const { events = [] } = await workflow.getHandle(orderWorkflowId(id)).fetchHistory();
  const results = (events ?? []).flatMap(({ markerRecordedEventAttributes: marker }) => {
    const read = (name: string) => Buffer.from(marker?.details?.[name]?.payloads?.[0]?.data ?? []).toString();
    return read('data').includes('"reofferOrder"') ? [JSON.parse(read('result')).result] : [];
  });
  return results.join(', ');
}

async function claimedAndMissed(): Promise<{ id: number; tookMs: number }> {
  const [lp, id] = [await newLp(corridor), await newOrder(agent)];
  await expectStatus(200, claim(lp, id));
  const began = Date.now();
  await eventuallyEquals(() => statusOf(agent, id), 'matched');
  return { id, tookMs: Date.now() - began };
}

test('with equal clocks a deadline expires in the first round', async () => {
  const { id } = await claimedAndMissed();
  await eventuallyEquals(() => resultsOf(id), 'applied');
  expect(await strikes(id)).toBe(1);
});

test('with Temporal’s clock ahead, no deadline expires before it has passed by the database’s clock', async () => {
  await setClock(corridor.db, '-30 minutes');
  try {
    const { id, tookMs } = await claimedAndMissed();
    await eventuallyEquals(() => resultsOf(id), 'not_yet, applied');
    expect(tookMs).toBeGreaterThan(4_000);
    expect(await strikes(id)).toBe(1);
  } finally {
    await setClock(corridor.db, '0');
  }
});

test('with Temporal’s clock ahead by a moment, the deadline is retried a moment later', async () => {
  // By Temporal's clock, the deadline has passed before it is set.
  await setClock(corridor.db, '-10 seconds');
  try {
    const { id } = await claimedAndMissed();
    await eventuallyEquals(() => resultsOf(id), 'not_yet, applied');
  } finally {
    await setClock(corridor.db, '0');
  }
});

describe.each(['1 hour', '-1 hour'])('with the database’s clock %s from the API’s', (aheadBy) => {
  beforeAll(() => setClock(corridor.db, aheadBy));
  afterAll(() => setClock(corridor.db, '0'));
  /** Milliseconds from the database's present to an end that the API has returned. */
  const left = async (end: string) => {
    const sql = 'select extract(epoch from $1::timestamptz - now())::float8 * 1000 as left';
    const { rows } = await corridor.db.pool.query(sql, [end]);
    return rows[0].left;
  };
  const rates = () => agent.call('POST', '/api/v1/rates', { amount: 1_295, currency: 'KES' });

  test('an order has its whole time to be claimed', async () => {
    const { order_id, expires_at } = await expectStatus(201, pay(agent));
    const { claim: whole } = corridor.config.durations;
    expect(await left(expires_at)).toBeLessThanOrEqual(whole);
    expect(await left(expires_at)).toBeGreaterThan(whole - 60_000);
    const [row] = await rows('select timeout_at, expires_at from orders where id = $1', order_id);
    expect([row.timeout_at, row.expires_at].map((at) => new Date(at).toISOString())).toEqual([
      expires_at,
      expires_at,
    ]);
    await expectStatus(200, cancel(agent, order_id));
  });

  test('a rate lock has its whole time, and a payment can use it', async () => {
    const { rate_lock_id, expires_at } = await expectStatus(201, rates());
    expect(await left(expires_at)).toBeLessThanOrEqual(corridor.config.rateLockTimeout);
    expect(await left(expires_at)).toBeGreaterThan(corridor.config.rateLockTimeout - 60_000);
    const { order_id } = await expectStatus(201, pay(agent, { rate_lock_id }));
    await expectStatus(200, cancel(agent, order_id));
  });
});
