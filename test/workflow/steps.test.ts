import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Command } from '../../src/domain/order-commands.ts';
import { type OrderStatus, type StepName, TRANSITIONS } from '../../src/domain/order-state.ts';
import type { StepInput } from '../../src/domain/order-steps.ts';
import { performStep, recordAnswers } from '../../src/orders/steps/perform-step.ts';
import { NO_COOL_DOWN } from '../../src/orders/steps/shared/step.ts';
import { type Agent, newAgent, newLp, newOrder, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';

/** The steps on the database alone, without a worker. */
let corridor: TestCorridor;
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  corridor = await startCorridor({ worker: false });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 1_000 });
});
afterAll(() => corridor.stop());

const claimStep = (orderId: number, changes: Partial<StepInput> = {}): StepInput => ({
  orderId,
  version: 1,
  from: 'matched',
  requestId: randomUUID(),
  to: 'claimed',
  deadline: { inMs: 60_000 },
  actor: `lp:${lp.id}`,
  command: { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' },
  reason: null,
  ...changes,
});
/** The happy path up to the verification. */
const waysOf = ({ id: lpId }: TestLp): [StepName, OrderStatus, Command][] => [
  ['claim', 'claimed', { trigger: 'claim', lpId, validUntil: 'infinity' }],
  ['markFiatSent', 'fiat_sent', { trigger: 'fiatSent', lpId }],
  ['confirm', 'confirmed', { trigger: 'confirm' }],
  ['settle', 'crypto_verify_pending', { trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' }],
];
const EARLY = TRANSITIONS.flatMap(({ from, trigger, to, step, escalation }) =>
  trigger === 'deadline'
    ? [{ to, step }, ...(escalation ? [escalation] : [])].map((way): [OrderStatus, OrderStatus, StepName] => [
        from,
        way.to,
        way.step,
      ])
    : [],
);
const moveDeadline = (id: number, by: string) =>
  corridor.db.pool.query('update orders set timeout_at = now() + $2::interval where id = $1', [id, by]);

/** Takes a new order to the status `from` and returns the step of its deadline. */
async function deadlineStep(from: OrderStatus, to: OrderStatus): Promise<StepInput> {
  const orderId = await newOrder(agent);
  let version = 1;
  let status: OrderStatus = 'matched';
  for (const [name, next, command] of waysOf(lp)) {
    if (status === from) break;
    const input = claimStep(orderId, { version, from: status, to: next, command });
    expect(await performStep(corridor.db, name, input, NO_COOL_DOWN)).toMatchObject({ result: 'applied' });
    status = next;
    version++;
  }
  return claimStep(orderId, {
    ...{ version, from, to, deadline: { inMs: 60_000 }, actor: 'service' },
    command: { trigger: 'deadline', version },
  });
}

const count = async (table: string, orderId: number) => {
  const rows = await corridor.db.query<{ n: number }>(
    `count-${table}`,
    `select count(*)::int as n from ${table} where order_id = $1`,
    [orderId],
  );
  return rows[0]?.n;
};
const locked = async () =>
  (await corridor.db.query('locked', 'select locked::float from lp_collateral where lp_id = $1', [lp.id]))[0];

describe('a step', () => {
  test('that runs again with the same request changes nothing and reports the same', async () => {
    const id = await newOrder(agent);
    const before = (await locked()) as { locked: number };
    const input = claimStep(id);
    const [first, again] = [
      await performStep(corridor.db, 'claim', input, NO_COOL_DOWN),
      await performStep(corridor.db, 'claim', input, NO_COOL_DOWN),
    ];
    expect(again).toEqual({ ...first, owed: [] });
    expect(first).toMatchObject({ result: 'applied', state: { version: 2, status: 'claimed', lpId: lp.id } });
    expect([
      await count('order_event', id),
      await count('ledger_transfer', id),
      await count('order_outcome', id),
    ]).toEqual([2, 1, 1]);
    expect(await locked()).toEqual({ locked: before.locked + 10 });
  });

  test('that runs again after later steps reports every pending webhook, its own first', async () => {
    const id = await newOrder(agent, { callback_url: 'http://127.0.0.1:9/nobody' });
    const input = claimStep(id);
    expect(await performStep(corridor.db, 'claim', input, NO_COOL_DOWN)).toMatchObject({ webhook: 2 });
    const next = claimStep(id, {
      ...{
        version: 2,
        from: 'claimed' as const,
        to: 'fiat_sent' as const,
        command: { trigger: 'fiatSent' as const, lpId: lp.id },
      },
    });
    expect(await performStep(corridor.db, 'markFiatSent', next, NO_COOL_DOWN)).toMatchObject({ webhook: 3 });
    // Temporal lost the workflow task with both steps, and runs it again from its beginning.
    expect(await performStep(corridor.db, 'claim', input, NO_COOL_DOWN)).toMatchObject({
      ...{ result: 'applied', state: { version: 3, status: 'fiat_sent' }, webhook: null, owed: [2, 3] },
    });
  });

  test('that runs several times at the same moment applies once', async () => {
    const id = await newOrder(agent);
    const before = (await locked()) as { locked: number };
    const input = claimStep(id);
    const reports = await Promise.all(
      Array.from({ length: 8 }, () => performStep(corridor.db, 'claim', input, NO_COOL_DOWN)),
    );
    for (const report of reports) expect(report).toMatchObject({ result: 'applied', state: { version: 2 } });
    expect([await count('order_event', id), await count('ledger_transfer', id)]).toEqual([2, 1]);
    expect(await locked()).toEqual({ locked: before.locked + 10 });
  });

  test('for an old version is stale: it records nothing, and reports the row', async () => {
    const id = await newOrder(agent);
    await performStep(corridor.db, 'claim', claimStep(id), NO_COOL_DOWN);
    const late = claimStep(id);
    expect(await performStep(corridor.db, 'claim', late, NO_COOL_DOWN)).toMatchObject({
      result: 'stale',
      state: { status: 'claimed' },
    });
    expect([await count('order_event', id), await count('order_outcome', id)]).toEqual([2, 1]);
  });

  test.each(EARLY)(
    'for a deadline that has not passed is not carried out: %s to %s by %s',
    async (...way) => {
      const [from, to, step] = way;
      // Temporal's clock is half an hour ahead of the database's.
      const early = await deadlineStep(from, to);
      const { orderId: id, version } = early;
      const before = await locked();
      await moveDeadline(id, '30 minutes');
      const report = await performStep(corridor.db, step, early, NO_COOL_DOWN);
      expect(report).toMatchObject({ result: 'not_yet', state: { version, status: from } });
      expect(report.dueInMs).toBeGreaterThan(29 * 60_000);
      expect(report.dueInMs).toBeLessThanOrEqual(30 * 60_000);
      expect([await count('lp_strike', id), await count('order_event', id)]).toEqual([0, version]);
      expect([await count('order_outcome', id), await locked()]).toEqual([version - 1, before]);
      // The same request is carried out as soon as the deadline has passed.
      await moveDeadline(id, '-1 second');
      expect(await performStep(corridor.db, step, early, NO_COOL_DOWN)).toMatchObject({ result: 'applied' });
      expect(await count('lp_strike', id)).toBe(from === 'claimed' ? 1 : 0);
    },
  );

  test.each(EARLY)(
    'for a deadline that passes before the row is read back is due again: %s to %s by %s',
    async (...way) => {
      const [from, to, step] = way;
      const input = await deadlineStep(from, to);
      await moveDeadline(input.orderId, '30 minutes');
      const db: typeof corridor.db = {
        ...corridor.db,
        query: async (...query) => {
          const rows = await corridor.db.query(...query);
          if (query[0] === `step-${step}`) await moveDeadline(input.orderId, '-1 second');
          return rows as never;
        },
      };
      expect(await performStep(db, step, input, NO_COOL_DOWN)).toMatchObject({
        result: 'stale',
        state: { status: from },
      });
      expect(await performStep(corridor.db, step, input, NO_COOL_DOWN)).toMatchObject({ result: 'applied' });
    },
  );

  test('for the same version and another status is stale, though the version fits', async () => {
    const id = await newOrder(agent);
    await performStep(corridor.db, 'claim', claimStep(id), NO_COOL_DOWN);
    const before = await locked();
    // A failover lost the commits of another history, in which version 2 was `crypto_verify_pending`.
    const verified = claimStep(id, {
      ...{ version: 2, from: 'crypto_verify_pending', to: 'completed', deadline: null, actor: 'service' },
      command: { trigger: 'verified', version: 2, note: null },
    });
    const unverified = { ...verified, to: 'disputed' as const, requestId: randomUUID() };
    const deadline = { ...unverified, command: { trigger: 'deadline' as const, version: 2 } };
    // A step without conditions of its own.
    const confirmed = claimStep(id, {
      ...{ version: 2, from: 'fiat_sent', to: 'confirmed', command: { trigger: 'confirm' } },
    });
    for (const [step, input] of [
      ['confirm', confirmed],
      ['complete', verified],
      ['openDispute', deadline],
    ] as const) {
      expect(await performStep(corridor.db, step, input, NO_COOL_DOWN)).toMatchObject({
        ...{ result: 'stale', state: { version: 2, status: 'claimed' } },
      });
    }
    const at = { orderId: id, version: 2, from: 'fiat_sent' as const };
    const answers = [{ requestId: randomUUID(), result: 'wrong_state' as const }];
    expect((await recordAnswers(corridor.db, { ...at, answers })).result).toBe('stale');
    expect([await count('order_event', id), await count('order_outcome', id)]).toEqual([2, 1]);
    expect(await count('lp_strike', id)).toBe(0);
    expect(await locked()).toEqual(before);
  });

  test('that the table of transitions does not have fails', async () => {
    const id = await newOrder(agent);
    await performStep(corridor.db, 'claim', claimStep(id), NO_COOL_DOWN);
    const input = claimStep(id, {
      ...{ version: 2, from: 'claimed', to: 'completed', deadline: null, actor: 'service' },
      command: { trigger: 'verified', version: 2, note: null },
    });
    await expect(performStep(corridor.db, 'complete', input, NO_COOL_DOWN)).rejects.toThrow(
      `Order ${id} cannot go from claimed to completed by complete`,
    );
  });

  test('that the ledger does not allow is refused, and a second run reports the refusal', async () => {
    const id = await newOrder(agent);
    const poor = await newLp(corridor, { collateral: 9 });
    const input = claimStep(id, {
      command: { trigger: 'claim', lpId: poor.id, validUntil: 'infinity' },
    });
    for (let run = 0; run < 2; run++) {
      expect(await performStep(corridor.db, 'claim', input, NO_COOL_DOWN)).toMatchObject({
        result: 'insufficient_collateral',
        state: { version: 1, status: 'matched' },
      });
    }
    expect([
      await count('order_event', id),
      await count('ledger_transfer', id),
      await count('order_outcome', id),
    ]).toEqual([1, 0, 1]);
  });

  test('for an LP without an address is refused', async () => {
    const id = await newOrder(agent);
    const bare = await newLp(corridor, { asset: false });
    const input = claimStep(id, {
      command: { trigger: 'claim', lpId: bare.id, validUntil: 'infinity' },
    });
    expect(await performStep(corridor.db, 'claim', input, NO_COOL_DOWN)).toMatchObject({
      result: 'no_receive_address',
    });
  });

  test('for an unknown order fails with its id', async () => {
    await expect(performStep(corridor.db, 'claim', claimStep(987_654), NO_COOL_DOWN)).rejects.toThrow(
      'order 987654',
    );
  });
});

test('an answer for an old version is stale: it records nothing, and reports the row', async () => {
  const id = await newOrder(agent);
  await performStep(corridor.db, 'claim', claimStep(id), NO_COOL_DOWN);
  const at = { orderId: id, version: 1, from: 'matched' as const };
  const answers = [{ requestId: randomUUID(), result: 'wrong_state' as const }];
  expect(await recordAnswers(corridor.db, { ...at, answers })).toMatchObject({
    ...{ result: 'stale', row: { version: 2, status: 'claimed' } },
  });
  expect(await count('order_outcome', id)).toBe(1);
});

test('a later answer does not replace the first answer to a request', async () => {
  const id = await newOrder(agent);
  const at = { orderId: id, version: 1, from: 'matched' as const };
  const [requestId, other] = [randomUUID(), randomUUID()];
  await recordAnswers(corridor.db, { ...at, answers: [{ requestId, result: 'wrong_state' }] });
  await recordAnswers(corridor.db, {
    ...at,
    answers: [
      { requestId: other, result: 'order_frozen' },
      { requestId, result: 'already' },
      { requestId: other, result: 'already' },
    ],
  });
  const sql = 'select result, status from order_outcome where request_id = any($1) order by result';
  expect(await corridor.db.query('answer', sql, [[requestId, other]])).toEqual([
    { result: 'order_frozen', status: 'matched' },
    { result: 'wrong_state', status: 'matched' },
  ]);
});
