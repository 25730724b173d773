import { describe, expect, test } from '@jest/globals';
import type { Incident } from '../../src/db/entities/incident.ts';
import type { Order } from '../../src/db/entities/order.ts';
import type { ListedDelivery } from '../../src/notify/webhooks/list-deliveries.ts';
import { type Blocker, blockers, type Unanswered } from '../../src/operations/diagnosis/blockers.ts';
import type { OrderCase, Service } from '../../src/operations/diagnosis/order-case.ts';
import type { OrderDescription, OrderWorkflow } from '../../src/temporal/describe-order.ts';

/** The data of the two sources, for an order of version 3. All parts are available unless a test changes that. */
interface Sources {
  database: OrderCase | Unanswered;
  temporal: OrderDescription | Unanswered;
}
const blockersOf = ({ database, temporal }: Sources) => blockers(database, temporal);

const service: Service = {
  ...{ now: '2026-03-01T10:00:00Z', api: true, worker: true, awaySince: null, unansweredAt: null },
};
type Row = Partial<Pick<Order, 'status' | 'version' | 'frozen_ms' | 'status_reason' | 'agent_key_id'>>;
const known = (
  about: {
    order?: Row;
    deliveries?: ListedDelivery[];
    pauses?: string[];
    stoppedBy?: Incident[];
    unclaimable?: string;
    keyExpiredAt?: string;
  } & Partial<Service> = {},
): OrderCase => {
  const { order, deliveries = [], pauses = [], stoppedBy = [], ...others } = about;
  const { unclaimable = null, keyExpiredAt = null, ...changes } = others;
  const row = { status: 'claimed', version: 3, ...order } as Order;
  return {
    order: row,
    deliveries,
    events: [],
    pauses,
    stoppedBy,
    keyExpiredAt,
    unclaimable,
    service: { ...service, ...changes },
  };
};
const webhook = (
  state: 'pending' | 'exhausted',
  attempts: number,
  last?: { status_code?: number; error?: string },
  seq = 2,
) =>
  ({
    delivery: { id: 31, seq, state, attempts, attempts_before: 0 },
    status: 'claimed',
    attempts: last ? [last] : [],
  }) as unknown as ListedDelivery;

const running = {
  ...{ execution: 'RUNNING', status: 'claimed', version: 3, task: null, taskFailure: null, activities: [] },
} as unknown as OrderWorkflow;
const poller = { identity: 'w', lastSeenAt: null, fresh: true, release: null };
const queue: OrderDescription['queue'] = { pollers: [poller], currentRelease: null };
const found = (
  about: Parameters<typeof known>[0],
  look: { running?: Partial<OrderWorkflow> | null; queue?: Partial<OrderDescription['queue']> } = {},
): Sources => ({
  database: known(about),
  temporal: {
    workflow: look.running === null ? null : { ...running, ...look.running },
    queue: { ...queue, ...look.queue },
  },
});
const busyWith = (name: string, lastFailure: { type: string | null; message: string } | null) => ({
  running: { activities: [{ name, attempt: 4, underWay: false, nextAttemptAt: null, lastFailure }] },
});
const task = (attempt: number) => ({ attempt, since: null });
const ended: Row = { status: 'completed', version: 7 };

test('a freeze blocks the order, with its reason', () => {
  const frozen = (status_reason: string | null) =>
    blockersOf(found({ order: { frozen_ms: 0 as unknown as Order['frozen_ms'], status_reason } }));
  const what = 'no command and no deadline moves it until an admin unfreezes it';
  expect(frozen('the police asked')).toEqual([{ part: 'freeze', what: `${what}: the police asked` }]);
  expect(frozen(null)).toEqual([{ part: 'freeze', what: `${what}: no reason is recorded` }]);
});

test('pauses come first, each with its reason', () => {
  expect(blockersOf(found({ pauses: ['a leak', 'a strike'], api: false }))).toEqual([
    { part: 'pause', what: 'new payments and claims are paused: a leak' },
    { part: 'pause', what: 'new payments and claims are paused: a strike' },
    { part: 'api', what: 'no API runs: nobody can act' },
  ]);
});

test('LPs that cannot claim it come after the parts that must run before anybody can', () => {
  expect(blockersOf(found({ unclaimable: 'no LP can claim it now', api: false }))).toEqual([
    { part: 'api', what: 'no API runs: nobody can act' },
    { part: 'liquidity', what: 'no LP can claim it now' },
  ]);
});

test('an expired agent key blocks its orders', () => {
  const order: Row = { agent_key_id: 3 };
  expect(blockersOf(found({ order, keyExpiredAt: '2026-03-01T09:00:00.000Z' }))).toEqual([
    {
      part: 'agent key',
      what: 'agent key 3 expired at 2026-03-01T09:00:00.000Z: until an admin prolongs it, no LP can claim the order, and its agent can neither confirm nor settle it',
    },
  ]);
});

test('nothing blocks an order if all parts are available', () => {
  expect(blockersOf(found({}))).toEqual([]);
  expect(blockersOf(found({ order: ended }, { running: null }))).toEqual([]);
});

test.each<[string, Sources, Blocker['part'], RegExp]>([
  ['no worker process', found({ worker: false }), 'worker', /^no worker runs: /],
  [
    'no worker that polls',
    found({}, { queue: { pollers: [] } }),
    'worker',
    /^no worker asks Temporal for work: /,
  ],
  [
    'no worker of the current release',
    found({}, { queue: { currentRelease: 'b' } }),
    'worker',
    /^no worker of b, the current release, asks /,
  ],
  ['no API', found({ api: false }), 'api', /^no API runs/],
  [
    'an outage of the service',
    found({ awaySince: '2026-03-01T09:00:00Z' }),
    'api',
    /2026-03.* no deadline passes$/,
  ],
  [
    'a request without an answer',
    found({ unansweredAt: '2026-03-01T09:00:00Z' }),
    'workflow',
    /^a request got no answer at 2026-03/,
  ],
  ['no workflow', found({}, { running: null }), 'workflow', /^no workflow runs it: /],
  [
    'no workflow for a webhook',
    found({ order: ended, deliveries: [webhook('pending', 0, undefined, 7)] }, { running: null }),
    'workflow',
    /^no workflow sends its webhooks/,
  ],
  [
    'a workflow that is behind',
    found({}, { running: { version: 2 } }),
    'workflow',
    /at claimed, version 2, the row at claimed, version 3: the reconciler/,
  ],
  [
    'a workflow that is ahead',
    found({}, { running: { version: 4 } }),
    'workflow',
    /version 4, the row at claimed, version 3: the database has lost/,
  ],
  [
    'a workflow whose order has ended',
    found({ order: ended }, { running: { status: 'completed', version: 7 } }),
    'workflow',
    /^the order has ended/,
  ],
  [
    'a workflow that fails',
    found({}, { running: { taskFailure: 'No such thing', task: task(6) } }),
    'workflow',
    /^its tasks fail, tried 6 times: No such thing$/,
  ],
  [
    'a task that no worker completes',
    found({}, { running: { task: task(5) } }),
    'workflow',
    /for the 5th time/,
  ],
  [
    'an unavailable node',
    found(
      {},
      busyWith('verifyTransaction', { type: 'ChainUnavailable', message: 'eth cannot be queried: refused' }),
    ),
    'chain',
    /^verifyTransaction, attempt 4: eth cannot be queried: refused$/,
  ],
  [
    'an activity that fails otherwise',
    found({}, busyWith('verifyTransaction', { type: null, message: 'activity timeout' })),
    'workflow',
    /^verifyTransaction, attempt 4: activity timeout$/,
  ],
  [
    'a receiver that refuses',
    found({ deliveries: [webhook('pending', 2, { status_code: 500 })] }),
    'webhook receiver',
    /^webhook 31, attempt 2 of 3: the receiver answered 500$/,
  ],
  [
    'a webhook that was given up',
    found({ deliveries: [webhook('exhausted', 3, { error: 'ECONNREFUSED' })] }),
    'webhook receiver',
    /^webhook 31 was given up: ECONNREFUSED. "webhooks redeliver 31" sends it again$/,
  ],
])('%s is named', (_, sources, part, what) => {
  expect(blockersOf(sources)).toEqual([{ part, what: expect.stringMatching(what) }]);
});

describe('if the database is unavailable', () => {
  const database = { why: 'It is unavailable' };

  test('it is the first blocker, before those from Temporal', () => {
    expect(blockersOf({ ...found({}), database })).toEqual([{ part: 'database', what: 'It is unavailable' }]);
    const failing = busyWith('deliverWebhook', {
      type: 'WebhookNotDelivered',
      message: 'Attempt 1 of 3: 500',
    });
    expect(blockersOf({ ...found({}, failing), database })).toEqual([
      { part: 'database', what: 'It is unavailable' },
      { part: 'webhook receiver', what: 'deliverWebhook, attempt 4: Attempt 1 of 3: 500' },
    ]);
  });
});

describe('if Temporal is unavailable', () => {
  test('it is named, and the missing workflow is not a blocker', () => {
    expect(
      blockersOf({ database: known({ worker: false }), temporal: { why: 'It is unavailable' } }),
    ).toEqual([
      { part: 'temporal', what: 'It is unavailable' },
      { part: 'worker', what: expect.any(String) },
    ]);
  });
});

test.each(['pending', 'not_found'])('a transaction that is %s is not a failure', (type) => {
  const sources = found({}, busyWith('verifyTransaction', { type, message: 'not yet' }));
  expect(blockersOf(sources)).toEqual([]);
});

test('a webhook is named for its attempts, and not for its activity as well', () => {
  const failing = busyWith('deliverWebhook', { type: 'WebhookNotDelivered', message: 'Attempt 1 of 3: 500' });
  const deliveries = [webhook('pending', 1, { status_code: 500 })];
  expect(blockersOf(found({ deliveries }, failing))).toHaveLength(1);
  expect(blockersOf(found({ deliveries: [webhook('pending', 0)] }))).toEqual([]);
});
