import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderState } from '../../src/domain/order-state.ts';
import type { StepInput } from '../../src/domain/order-steps.ts';
import { performStep, recordAnswers } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { stepInput, takeStep } from '../support/take-step.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The steps with only a database, without a worker. */
const corridor = await useCorridor({ worker: false });
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 1_000 });

const claimStep = (orderId: number, lpId = lp.id) =>
  stepInput(corridor.db, orderId, { trigger: 'claim', lpId, validUntil: 'infinity' }, `lp:${lpId}`);
/** The same input with another state than the row's. */
const inState = (
  input: StepInput,
  state: Partial<OrderState>,
  command: Command = input.command,
): StepInput => ({
  ...{ ...input, requestId: randomUUID(), command, state: { ...input.state, ...state } },
});

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
    const id = await agent.newOrder();
    const before = (await locked()) as { locked: number };
    const input = await claimStep(id);
    const [first, again] = [
      await performStep(corridor.db, 'claim', input, NO_LIMITS),
      await performStep(corridor.db, 'claim', input, NO_LIMITS),
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
    const id = await agent.newOrder({ callback_url: 'http://127.0.0.1:9/nobody' });
    const input = await claimStep(id);
    expect(await performStep(corridor.db, 'claim', input, NO_LIMITS)).toMatchObject({ webhook: 2 });
    const next = await stepInput(corridor.db, id, { trigger: 'fiatSent', lpId: lp.id });
    expect(await performStep(corridor.db, 'markFiatSent', next, NO_LIMITS)).toMatchObject({ webhook: 3 });
    // Temporal lost the workflow task with both steps, and runs it again from its beginning.
    expect(await performStep(corridor.db, 'claim', input, NO_LIMITS)).toMatchObject({
      ...{ result: 'applied', state: { version: 3, status: 'fiat_sent' }, webhook: null, owed: [2, 3] },
    });
  });

  test('that runs several times concurrently applies once', async () => {
    const id = await agent.newOrder();
    const before = (await locked()) as { locked: number };
    const input = await claimStep(id);
    const reports = await Promise.all(
      Array.from({ length: 8 }, () => performStep(corridor.db, 'claim', input, NO_LIMITS)),
    );
    for (const report of reports) expect(report).toMatchObject({ result: 'applied', state: { version: 2 } });
    expect([await count('order_event', id), await count('ledger_transfer', id)]).toEqual([2, 1]);
    expect(await locked()).toEqual({ locked: before.locked + 10 });
  });

  test('for an old version is stale: it records nothing, and reports the row', async () => {
    const id = await agent.newOrder();
    const [first, late] = [await claimStep(id), await claimStep(id)];
    await performStep(corridor.db, 'claim', first, NO_LIMITS);
    expect(await performStep(corridor.db, 'claim', late, NO_LIMITS)).toMatchObject({
      result: 'stale',
      state: { status: 'claimed' },
    });
    expect([await count('order_event', id), await count('order_outcome', id)]).toEqual([2, 1]);
  });

  test('for the same version and another status is stale, though the version fits', async () => {
    const id = await agent.newOrder();
    await takeStep(corridor.db, 'claim', id, (await claimStep(id)).command);
    const before = await locked();
    const row = await claimStep(id);
    // A failover lost the commits of another history, in which version 2 was `crypto_verify_pending`.
    const verified = inState(
      row,
      { status: 'crypto_verify_pending' },
      { ...{ trigger: 'verified', version: 2, note: null } },
    );
    const deadline = inState(verified, {}, { trigger: 'deadline', version: 2 });
    // A step without conditions of its own.
    const confirmed = inState(row, { status: 'fiat_sent' }, { trigger: 'confirm' });
    for (const [step, input] of [
      ['confirm', confirmed],
      ['complete', verified],
      ['openDispute', deadline],
    ] as const) {
      expect(await performStep(corridor.db, step, input, NO_LIMITS)).toMatchObject({
        ...{ result: 'stale', state: { version: 2, status: 'claimed' } },
      });
    }
    const answers = [{ requestId: randomUUID(), result: 'wrong_state' as const }];
    expect((await recordAnswers(corridor.db, { ...confirmed, answers })).result).toBe('stale');
    expect([await count('order_event', id), await count('order_outcome', id)]).toEqual([2, 1]);
    expect(await count('lp_strike', id)).toBe(0);
    expect(await locked()).toEqual(before);
  });

  test('that does not belong to the command fails, whatever its state', async () => {
    const id = await agent.newOrder();
    const row = await claimStep(id);
    const verified = inState(row, {}, { trigger: 'verified', version: 1, note: null });
    await expect(performStep(corridor.db, 'complete', verified, NO_LIMITS)).rejects.toThrow(
      `Order ${id} cannot take the step complete for verified while matched`,
    );
    // Only the command is signed, so the step must be the one for the command.
    const confirm = inState(row, { status: 'fiat_sent' }, { trigger: 'confirm' });
    await expect(performStep(corridor.db, 'complete', confirm, NO_LIMITS)).rejects.toThrow(
      'the rules decide {"kind":"apply","step":"confirm","to":"confirmed"}',
    );
    expect(await count('order_event', id)).toBe(1);
  });

  test('that the ledger does not allow is refused, and a second run reports the refusal', async () => {
    const id = await agent.newOrder();
    const poor = await corridor.newLp({ collateral: 9 });
    const input = await claimStep(id, poor.id);
    for (let run = 0; run < 2; run++) {
      expect(await performStep(corridor.db, 'claim', input, NO_LIMITS)).toMatchObject({
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
    const id = await agent.newOrder();
    const bare = await corridor.newLp({ asset: false });
    const input = await claimStep(id, bare.id);
    expect(await performStep(corridor.db, 'claim', input, NO_LIMITS)).toMatchObject({
      result: 'no_receive_address',
    });
  });

  test('for an unknown order fails with its id', async () => {
    const input = { ...(await claimStep(await agent.newOrder())), orderId: 987_654 };
    await expect(performStep(corridor.db, 'claim', input, NO_LIMITS)).rejects.toThrow('order 987654');
  });
});

test('an answer for an old version is stale: it records nothing, and reports the row', async () => {
  const id = await agent.newOrder();
  const at = await claimStep(id);
  await performStep(corridor.db, 'claim', at, NO_LIMITS);
  const answers = [{ requestId: randomUUID(), result: 'wrong_state' as const }];
  expect(await recordAnswers(corridor.db, { ...at, answers })).toMatchObject({
    ...{ result: 'stale', row: { version: 2, status: 'claimed' } },
  });
  expect(await count('order_outcome', id)).toBe(1);
});

test('a later answer does not replace the first answer to a request', async () => {
  const id = await agent.newOrder();
  const at = await claimStep(id);
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
