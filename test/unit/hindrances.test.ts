import { describe, expect, test } from '@jest/globals';
import {
  type DatabaseFindings,
  type Findings,
  type Hindrance,
  hindrances,
  type TemporalFindings,
} from '../../src/domain/hindrances.ts';

const row: DatabaseFindings = {
  order: { status: 'claimed', version: 3, webhooks: [] },
  api: true,
  worker: true,
  awaySince: null,
  unansweredAt: null,
  webhooks: [],
};
const running: NonNullable<TemporalFindings['running']> = {
  status: 'claimed',
  ...{ version: 3, taskAttempts: 0, taskFailure: null, activities: [] },
};
const temporal: TemporalFindings = { running, workers: 1, currentRelease: null };
const found = (database: Partial<DatabaseFindings>, workflows: Partial<TemporalFindings> = {}): Findings => ({
  database: { ...row, ...database },
  temporal: { ...temporal, ...workflows },
});
const busyWith = (name: string, failure: { type: string | null; message: string } | null) => ({
  running: { ...running, activities: [{ name, attempt: 4, failure }] },
});
const ended: DatabaseFindings['order'] = { status: 'completed', version: 7, webhooks: [] };

test('nothing is in the way of an order whose parts are all there', () => {
  expect(hindrances({ database: row, temporal })).toEqual([]);
  expect(hindrances(found({ order: ended }, { running: undefined }))).toEqual([]);
});

test.each<[string, Findings, Hindrance['part'], RegExp]>([
  ['no worker process', found({ worker: false }), 'worker', /^no worker runs: /],
  ['no worker that polls', found({}, { workers: 0 }), 'worker', /^no worker asks Temporal for work: /],
  [
    'no worker of the release that is the current one',
    found({}, { workers: 0, currentRelease: 'b' }),
    'worker',
    /^no worker of b, the current release, asks /,
  ],
  ['no API', found({ api: false }), 'api', /^no API runs/],
  [
    'a service that was away',
    found({ awaySince: '2026-03-01T09:00:00Z' }),
    'api',
    /2026-03.* no deadline passes$/,
  ],
  [
    'a call without an answer',
    found({ unansweredAt: '2026-03-01T09:00:00Z' }),
    'workflow',
    /without an answer/,
  ],
  ['no workflow', found({}, { running: undefined }), 'workflow', /^no workflow runs it: /],
  [
    'no workflow for a webhook',
    found({ order: { ...ended, webhooks: [7] } }, { running: undefined }),
    'workflow',
    /^no workflow sends its webhooks/,
  ],
  [
    'a workflow that is behind',
    found({}, { running: { ...running, version: 2 } }),
    'workflow',
    /at version 2, the row at 3: the reconciler/,
  ],
  [
    'a workflow that is ahead',
    found({}, { running: { ...running, version: 4 } }),
    'workflow',
    /at version 4, the row at 3: the database has forgotten/,
  ],
  [
    'a workflow that has outlived its order',
    found({ order: ended }, { running: { ...running, status: 'completed', version: 7 } }),
    'workflow',
    /^the order has ended/,
  ],
  [
    'a workflow that fails',
    found({}, { running: { ...running, taskFailure: 'No such thing', taskAttempts: 6 } }),
    'workflow',
    /^its tasks fail, tried 6 times: No such thing$/,
  ],
  [
    'a task that nobody brings to an end',
    found({}, { running: { ...running, taskAttempts: 5 } }),
    'workflow',
    /for the 5th time/,
  ],
  [
    'a node that is away',
    found(
      {},
      busyWith('verifyTransaction', { type: 'ChainUnavailable', message: 'eth cannot be asked: refused' }),
    ),
    'chain',
    /^verifyTransaction, attempt 4: eth cannot be asked: refused$/,
  ],
  [
    'an activity that fails otherwise',
    found({}, busyWith('verifyTransaction', { type: null, message: 'activity timeout' })),
    'workflow',
    /^verifyTransaction, attempt 4: activity timeout$/,
  ],
  [
    'a receiver that refuses',
    found({ webhooks: [{ seq: 2, state: 'pending', attempts: 2, last: 'the receiver answered 500' }] }),
    'webhook receiver',
    /^webhook 2, attempt 2 of 3: the receiver answered 500$/,
  ],
  [
    'a receiver that was given up',
    found({ webhooks: [{ seq: 2, state: 'exhausted', attempts: 3, last: 'ECONNREFUSED' }] }),
    'webhook receiver',
    /^webhook 2 was given up: ECONNREFUSED$/,
  ],
])('%s is named', (_, findings, part, what) => {
  expect(hindrances(findings)).toEqual([{ part, what: expect.stringMatching(what) }]);
});

describe('where the database cannot be asked', () => {
  const database = { why: 'It is away' };

  test('that is the cause, and what Temporal knows is told', () => {
    expect(hindrances({ database, temporal })).toEqual([{ part: 'database', what: 'It is away' }]);
    const failing = busyWith('deliverWebhook', {
      type: 'WebhookNotDelivered',
      message: 'Attempt 1 of 3: 500',
    });
    expect(hindrances({ database, temporal: { ...temporal, ...failing } })).toEqual([
      { part: 'database', what: 'It is away' },
      { part: 'webhook receiver', what: 'deliverWebhook, attempt 4: Attempt 1 of 3: 500' },
    ]);
  });
});

describe('where Temporal cannot be asked', () => {
  test('that is told, and that no workflow is seen is no news', () => {
    expect(hindrances({ database: { ...row, worker: false }, temporal: { why: 'It is away' } })).toEqual([
      { part: 'temporal', what: 'It is away' },
      { part: 'worker', what: expect.any(String) },
    ]);
  });
});

test.each(['pending', 'not_found'])('a transaction that is %s is waited for, and nothing fails', (type) => {
  const findings = found({}, busyWith('verifyTransaction', { type, message: 'not yet' }));
  expect(hindrances(findings)).toEqual([]);
});

test('a webhook is told of by its attempts, and not by its activity, too', () => {
  const failing = busyWith('deliverWebhook', { type: 'WebhookNotDelivered', message: 'Attempt 1 of 3: 500' });
  const webhooks = [{ seq: 2, state: 'pending', attempts: 1, last: 'the receiver answered 500' } as const];
  expect(hindrances(found({ webhooks: [...webhooks] }, failing))).toHaveLength(1);
  const untried = [{ seq: 2, state: 'pending', attempts: 0, last: null } as const];
  expect(hindrances(found({ webhooks: [...untried] }))).toEqual([]);
});
