import { afterEach, expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import type proto from '@temporalio/proto';
import { expectStatus } from '../../../dev/http-client.ts';
import { orderWorkflowId, SEARCH_ATTRIBUTES } from '../../../workflows/messages.ts';
import {
  type Agent,
  adminDoes,
  claim,
  confirmedOrder,
  dispute,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  payment,
  rowOf,
  settle,
  statusOf,
} from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { copyOrder } from '../../support/lost-commits.ts';
import { connectToTemporal } from '../../support/temporal-client.ts';

/** What a test can see only when a deadline of seconds really passes: which timers the workflow has, and when it wakes. */
let corridor: TestCorridor;
let agent: Agent;
let client: Client;
async function start(env: Record<string, string>): Promise<void> {
  corridor = await startCorridor({ env });
  agent = await newAgent(corridor);
  client = await connectToTemporal(corridor);
}
afterEach(async () => {
  await client.connection.close();
  await corridor.stop();
});

const row = (id: number) => rowOf(corridor.admin, id);
const handle = (id: number) => client.workflow.getHandle(orderWorkflowId(id));
/** Counts the timer events in the history of an order's workflow. */
async function countTimers(id: number) {
  const { events } = await handle(id).fetchHistory();
  const count = (key: keyof proto.temporal.api.history.v1.IHistoryEvent) =>
    (events ?? []).filter((event) => event[key]).length;
  return {
    started: count('timerStartedEventAttributes'),
    elapsed: count('timerFiredEventAttributes'),
    canceled: count('timerCanceledEventAttributes'),
  };
}

test('a deadline that replaces another keeps its timer, or gets a new one if it is sooner', async () => {
  await start({ ORDER_START: 'awake', CLAIM_TIMEOUT: '8s', FIAT_TIMEOUT: '12s', CONFIRM_TIMEOUT: '300ms' });
  const [lp, other] = [await newLp(corridor), await newLp(corridor)];
  const [late, sent] = [await newOrder(agent), await newOrder(agent)];
  for (const id of [late, sent]) await expectStatus(200, claim(lp, id));
  await expectStatus(200, fiatSent(lp, sent));
  await eventuallyEquals(() => statusOf(agent, sent), 'disputed');
  // The timer for the claim fires four seconds before the fiat deadline.
  await eventuallyEquals(() => statusOf(agent, late), 'matched');
  await expectStatus(200, claim(other, late));
  expect(await countTimers(sent)).toEqual({ started: 2, elapsed: 1, canceled: 1 });
  // The timer is set for the claim, then for the fiat. The reoffered order has to be claimed within 8 s.
  expect(await countTimers(late)).toMatchObject({ elapsed: 2, canceled: 0 });
});

test('an extended deadline counts once it is extended', async () => {
  await start({ CLAIM_TIMEOUT: '6s' });
  await newLp(corridor);
  const kept = await newOrder(agent);
  await expectStatus(200, adminDoes(corridor.admin, 'extend', kept, { until: '2036-01-01' }));
  const left = await newOrder(agent);
  await eventuallyEquals(() => statusOf(agent, left), 'cancelled');
  expect(await statusOf(agent, kept)).toBe('matched');
});

test('an order whose workflow sleeps ends when no LP claims it', async () => {
  await start({ CLAIM_TIMEOUT: '3s' });
  await newLp(corridor);
  const id = await newOrder(agent);
  await eventuallyEquals(() => statusOf(agent, id), 'cancelled');
});

test('the deadline of a lost history moves no order and gives no strike', async () => {
  await start({ VERIFY_TIMEOUT: '8s', UPKEEP_INTERVAL: '1h' });
  const id = await confirmedOrder(agent, await newLp(corridor));
  const hash = await payment(corridor, agent, id, { final_after_ms: 600_000 });
  const loseCommits = await copyOrder(corridor.db, id);
  await expectStatus(200, settle(agent, id, hash));
  await loseCommits();
  await eventually(async () => (await row(id)).frozen);
  expect(await row(id)).toMatchObject({ frozen: true, timeout_at: null, status: 'confirmed' });
  expect(await lastTransition(corridor.admin, id)).toMatchObject({ cause: 'lost-commits' });
  const strikes = await corridor.db.query('t-strikes', 'select from lp_strike where order_id = $1', [id]);
  expect(strikes).toEqual([]);
});

test('an order that refuses many requests continues as a new run', async () => {
  await start({ CLAIM_TIMEOUT: '10s' });
  const lp = await newLp(corridor);
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  await expectStatus(200, dispute(agent, id));
  const tooMuch = { outcome: 'cancelled', slash_usd: 1_000 };
  const { runId } = await handle(id).describe();
  await eventually(async () => {
    const slash = () => adminDoes(corridor.admin, 'resolve', id, tooMuch);
    const answers = await Promise.all(Array.from({ length: 20 }, slash));
    for (const { status } of answers) expect(status).toBe(409);
    return (await handle(id).describe()).runId !== runId;
  }, 120_000);

  // Temporal lets the new run sleep until the first one would have woken by itself. So it begins only then.
  expect((await row(id)).status).toBe('disputed');
  const restarted = await handle(id).describe();
  expect(restarted.typedSearchAttributes.get(SEARCH_ATTRIBUTES.version)).toBe(3);
  const { seconds } = restarted.raw.executionConfig?.defaultWorkflowTaskTimeout ?? {};
  expect(Number(seconds) * 1_000).toBe(corridor.shared.timeouts.workflowTaskMs);
  await expectStatus(200, adminDoes(corridor.admin, 'resolve', id, { outcome: 'cancelled' }));
  expect(await statusOf(agent, id)).toBe('cancelled');
});
