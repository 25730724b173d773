import { expect, test } from '@jest/globals';
import type { CallAttempt } from '../../storms/kernel/caller.ts';
import { brokenPromises } from '../../storms/kernel/promises.ts';
import type { Recorded, RecordedEvent } from '../../storms/kernel/recorded.ts';

/** The fault harness detects broken promises: each forged record lacks one thing that a response promised. */
const START = Date.UTC(2026, 0, 1);
const at = (seconds: number) => new Date(START + seconds * 1_000);

const event = (seq: number, cause: string, actor: string, status: string, more = {}): RecordedEvent => ({
  ...{
    order_id: 1,
    seq,
    from_status: null,
    status,
    actor,
    cause,
    hash: null,
    lp: 'lp:7',
    created_at: at(seq),
  },
  ...more,
});
/** An attempt that starts half a second before its event and ends half a second after it. */
const attempt = (
  trigger: string,
  actor: string,
  second: number,
  more: Partial<CallAttempt> = {},
): CallAttempt => ({
  ...{ call: second, trigger, actor, orderId: 1, detail: null, status: 200, body: {} },
  ...{ startedAt: at(second - 0.5), endedAt: at(second + 0.5) },
  ...more,
});
const webhook = (id: number, status: string, answered = 200) => ({
  ...{ raw: status, headers: { 'webhook-id': `msg_${id}` }, signatureIsValid: true, answered },
  body: { event: 'order', order_id: 1, status, timestamp: '', data: {} },
});

const EVENTS: RecordedEvent[] = [
  event(1, 'pay', 'agent:3', 'matched'),
  event(2, 'claim', 'lp:7', 'claimed'),
  event(3, 'release', 'lp:7', 'matched', { from_status: 'claimed', lp: 'lp:8' }),
  event(4, 'auto-claim', 'lp:8', 'claimed', { lp: 'lp:8' }),
  event(5, 'fiatSent', 'lp:8', 'fiat_sent', { lp: 'lp:8' }),
  event(6, 'confirm', 'agent:3', 'confirmed', { lp: 'lp:8' }),
  event(7, 'settle', 'agent:3', 'crypto_verify_pending', { hash: 'ab', lp: 'lp:8' }),
  event(8, 'freeze', 'admin', 'crypto_verify_pending', { lp: 'lp:8' }),
  event(9, 'unfreeze', 'admin', 'crypto_verify_pending', { lp: 'lp:8' }),
  event(10, 'deadline', 'service', 'disputed', { lp: 'lp:8' }),
  event(11, 'retryVerification', 'admin', 'crypto_verify_pending', { lp: 'lp:8' }),
  event(12, 'deadline', 'service', 'disputed', { lp: 'lp:8' }),
  event(13, 'resolve', 'admin', 'cancelled', { lp: 'lp:8' }),
];

const RECORDED: Recorded = {
  events: EVENTS,
  orders: [{ id: 1, key: 'k1' }],
  withdrawals: [
    { id: 4, key: 'w1', status: 'paid' },
    { id: 5, key: 'w2', status: 'rejected' },
  ],
  deposits: [{ id: 9, status: 'confirmed' }],
  deliveries: [
    { id: 21, order_id: 1, seq: 2, state: 'delivered', last_attempt_at: at(20) },
    { id: 22, order_id: 1, seq: 3, state: 'exhausted', last_attempt_at: at(4) },
  ],
  received: [webhook(21, 'claimed', 500), webhook(21, 'claimed'), webhook(22, 'matched', 500)],
};

const LOG: CallAttempt[] = [
  attempt('pay', 'agent:3', 1, { orderId: null, detail: 'k1', status: 201, body: { order_id: 1 } }),
  attempt('claim', 'lp:7', 2),
  attempt('release', 'lp:7', 3),
  attempt('claim', 'lp:8', 4),
  attempt('fiatSent', 'lp:8', 5),
  attempt('confirm', 'agent:3', 6),
  attempt('settle', 'agent:3', 7, { detail: 'ab' }),
  attempt('freeze', 'admin', 8),
  attempt('unfreeze', 'admin', 9),
  attempt('dispute', 'agent:3', 10),
  attempt('retryVerification', 'admin', 11),
  attempt('resolve', 'admin', 13, { detail: 'cancelled', body: { status: 'cancelled' } }),
  attempt('cancel', 'agent:3', 14),
  attempt('withdraw', 'lp:7', 1, { orderId: null, detail: 'w1', status: 201, body: { id: 4 } }),
  attempt('withdrawal paid', 'admin', 2, { orderId: null, detail: '4' }),
  attempt('withdrawal reject', 'admin', 2, { orderId: null, detail: '5' }),
  attempt('deposit', 'lp:7', 1, { orderId: null, body: { deposit_id: 9 } }),
  attempt('confirmDeposit', 'lp:7', 2, { orderId: null, detail: '9' }),
  attempt('deliveries', 'agent:3', 18, { body: { deliveries: [] } }),
  attempt('redeliver', 'agent:3', 19, { status: 202, detail: '21' }),
  attempt('transaction', 'anyone', 6, { orderId: null, status: 201 }),
  // Responses that faults explain, and the contract's own refusals.
  attempt('fiatSent', 'lp:7', 4, { status: 409, body: { error: 'not_order_owner' } }),
  attempt('confirm', 'agent:3', 6, { status: null, body: null }),
  attempt('confirm', 'agent:3', 6, { status: 503, body: {} }),
];

const found = (log: CallAttempt[], recorded: Recorded) =>
  brokenPromises(log, recorded).map(({ what, where }) => `${what}: ${where.split(' at ')[0]}`);

test('consistent records break no promise', () => {
  expect(found(LOG, RECORDED)).toEqual([]);
});

const without = (cause: string) => ({ events: EVENTS.filter((e) => e.cause !== cause) });
const UNDONE = 'a 2xx is never undone';

test.each<[string, Partial<Recorded>, string]>([
  ['a claim', { events: EVENTS.filter(({ seq }) => seq !== 2) }, 'claim of order 1 by lp:7, call 2'],
  ['an automatic claim', without('auto-claim'), 'claim of order 1 by lp:8, call 4'],
  [
    'a claim that became another LP’s',
    { events: EVENTS.map((e) => (e.seq === 2 ? { ...e, actor: 'lp:9' } : e)) },
    'claim of order 1 by lp:7, call 2',
  ],
  ['a release', without('release'), 'release of order 1 by lp:7, call 3'],
  ['fiat sent', without('fiatSent'), 'fiatSent of order 1 by lp:8, call 5'],
  ['a confirmation', without('confirm'), 'confirm of order 1 by agent:3, call 6'],
  ['a settlement', without('settle'), 'settle of order 1 by agent:3, call 7'],
  [
    'a settlement by another transaction',
    { events: EVENTS.map((e) => (e.hash ? { ...e, hash: 'cd' } : e)) },
    'settle of order 1 by agent:3, call 7',
  ],
  ['a freeze', without('freeze'), 'freeze of order 1 by admin, call 8'],
  ['an unfreeze', without('unfreeze'), 'unfreeze of order 1 by admin, call 9'],
  ['a dispute', without('deadline'), 'dispute of order 1 by agent:3, call 10'],
  ['a repeated verification', without('retryVerification'), 'retryVerification of order 1 by admin, call 11'],
  ['a deposit', { deposits: [{ id: 8, status: 'confirmed' }] }, 'deposit of order - by lp:7, call 1'],
  ['a credit', { deposits: [{ id: 9, status: 'pending' }] }, 'confirmDeposit of order - by lp:7, call 2'],
  [
    'a payout',
    {
      withdrawals: [
        { id: 4, key: 'w1', status: 'requested' },
        { id: 5, key: 'w2', status: 'rejected' },
      ],
    },
    'withdrawal paid of order - by admin, call 2',
  ],
  [
    'a rejection',
    {
      withdrawals: [
        { id: 4, key: 'w1', status: 'paid' },
        { id: 5, key: 'w2', status: 'paid' },
      ],
    },
    'withdrawal reject of order - by admin, call 2',
  ],
  [
    'a redelivery that was never sent',
    { deliveries: RECORDED.deliveries.map((d) => ({ ...d, last_attempt_at: at(18) })) },
    'redeliver of order 1 by agent:3, call 19',
  ],
])('%s that is missing after a 2xx is a breach', (_, recorded, where) => {
  expect(found(LOG, { ...RECORDED, ...recorded })).toContain(`${UNDONE}: ${where}`);
});

test('an end of an order that another end replaced is a breach', () => {
  const events = [...EVENTS, event(14, 'resolve', 'admin', 'completed')];
  expect(found(LOG, { ...RECORDED, events })).toEqual([
    `${UNDONE}: resolve of order 1 by admin, call 13`,
    `${UNDONE}: cancel of order 1 by agent:3, call 14`,
  ]);
});

test('a deadline that takes an order just before the LP releases it does not undo a release', () => {
  const events = EVENTS.map((e) => (e.seq === 3 ? { ...e, cause: 'deadline', actor: 'service' } : e));
  expect(found(LOG, { ...RECORDED, events })).toEqual([]);
});

const KEY = 'a key creates one thing';
test.each<[string, Partial<Recorded>, string]>([
  ['a payment without its order', { orders: [] }, `${KEY}: pay of order - by agent:3, call 1`],
  [
    'a payment whose response names another order',
    { orders: [{ id: 2, key: 'k1' }] },
    `${KEY}: pay of order - by agent:3, call 1`,
  ],
  [
    'a key with two orders',
    {
      orders: [
        { id: 1, key: 'k1' },
        { id: 2, key: 'k1' },
      ],
    },
    `${KEY}: pay of order - by agent:3, call 1`,
  ],
  [
    'an order without a key',
    {
      orders: [
        { id: 1, key: 'k1' },
        { id: 2, key: null },
      ],
    },
    'an order was created by one request: order 2',
  ],
  [
    'a withdrawal that does not exist',
    { withdrawals: RECORDED.withdrawals.slice(1) },
    `${KEY}: withdraw of order - by lp:7, call 1`,
  ],
  [
    'a webhook with other bytes',
    { received: [webhook(21, 'claimed'), webhook(21, 'changed')] },
    'a webhook always has the same bytes: msg_21',
  ],
  [
    'a webhook that is not signed',
    { received: [{ ...webhook(21, 'claimed'), signatureIsValid: false }] },
    'a webhook is signed: msg_21',
  ],
  [
    'webhooks in another order',
    { received: [webhook(22, 'matched'), webhook(21, 'claimed')] },
    "an order's webhooks arrive in order: order 1",
  ],
  [
    'a delivery that the receiver never confirmed',
    { received: [webhook(21, 'claimed', 500)] },
    'a delivered webhook was received: order 1, webhook 2',
  ],
])('%s is a breach', (_, recorded, breach) => {
  expect(found(LOG, { ...RECORDED, ...recorded })).toContain(breach);
});

const answered = (status: number, body: unknown = {}) => attempt('confirm', 'agent:3', 20, { status, body });
test.each([
  ['a failure that is not temporary', answered(500)],
  ['an unknown key', answered(401)],
  ['an unknown order', answered(404)],
  ['a rate limit that is off', answered(429)],
  ['a body that is not JSON', answered(400, '<html>')],
])('%s is not a response of the contract', (_, one) => {
  expect(found([one], RECORDED)).toEqual([
    'a response is one of the contract: confirm of order 1 by agent:3, call 20',
  ]);
});

test('a retry that is refused although nothing happened after the first call is a breach', () => {
  const recorded = { ...RECORDED, events: EVENTS.slice(0, 6) };
  const retried = attempt('confirm', 'agent:3', 30, { status: 409 });
  expect(found([retried], recorded)).toEqual([
    'a retry gets the same response as the first call: confirm of order 1 by agent:3, call 30',
  ]);
  expect(found([retried], RECORDED)).toEqual([]);
});

test('a response that the harness cannot check fails the run', () => {
  expect(() => found([attempt('rename', 'admin', 1)], RECORDED)).toThrow('a 2xx to rename');
});
