import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { performStep, recordAnswers } from '../../src/db/steps/perform-step.ts';
import type { StepInput } from '../../src/domain/steps.ts';
import { type Agent, newAgent, newLp, newOrder, type TestLp } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';

/** The steps on the database alone: no worker carries anything out meanwhile. */
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
  requestId: randomUUID(),
  to: 'claimed',
  deadline: { inMs: 60_000 },
  actor: `lp:${lp.id}`,
  command: { trigger: 'claim', lpId: lp.id, collateral: '10.00', validUntil: 'infinity' },
  reason: null,
  ...changes,
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
  test('run again with the same request changes nothing and reports the same', async () => {
    const id = await newOrder(agent);
    const before = (await locked()) as { locked: number };
    const input = claimStep(id);
    const [first, again] = [
      await performStep(corridor.db, 'claim', input),
      await performStep(corridor.db, 'claim', input),
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

  test('run again after later ones reports every webhook that is owed, its own first', async () => {
    const id = await newOrder(agent, { callback_url: 'http://127.0.0.1:9/nobody' });
    const input = claimStep(id);
    expect(await performStep(corridor.db, 'claim', input)).toMatchObject({ webhook: 2 });
    const next = claimStep(id, {
      ...{ version: 2, to: 'fiat_sent' as const, command: { trigger: 'fiatSent' as const, lpId: lp.id } },
    });
    expect(await performStep(corridor.db, 'markFiatSent', next)).toMatchObject({ webhook: 3 });
    // A workflow task that made both was lost, and is made again from its beginning.
    expect(await performStep(corridor.db, 'claim', input)).toMatchObject({
      ...{ result: 'applied', state: { version: 3, status: 'fiat_sent' }, webhook: null, owed: [2, 3] },
    });
  });

  test('run twice at the same moment is carried out once', async () => {
    const id = await newOrder(agent);
    const before = (await locked()) as { locked: number };
    const input = claimStep(id);
    const reports = await Promise.all(
      Array.from({ length: 8 }, () => performStep(corridor.db, 'claim', input)),
    );
    for (const report of reports) expect(report).toMatchObject({ result: 'applied', state: { version: 2 } });
    expect([await count('order_event', id), await count('ledger_transfer', id)]).toEqual([2, 1]);
    expect(await locked()).toEqual({ locked: before.locked + 10 });
  });

  test('decided on an old version is stale: nothing is recorded, and the row is reported', async () => {
    const id = await newOrder(agent);
    await performStep(corridor.db, 'claim', claimStep(id));
    const late = claimStep(id);
    expect(await performStep(corridor.db, 'claim', late)).toMatchObject({
      result: 'stale',
      state: { status: 'claimed' },
    });
    expect([await count('order_event', id), await count('order_outcome', id)]).toEqual([2, 1]);
  });

  test('that the ledger does not allow is refused, and the refusal is what a second run reports', async () => {
    const id = await newOrder(agent);
    const input = claimStep(id, {
      command: { trigger: 'claim', lpId: lp.id, collateral: '1000000.00', validUntil: 'infinity' },
    });
    for (let run = 0; run < 2; run++) {
      expect(await performStep(corridor.db, 'claim', input)).toMatchObject({
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

  test('of an LP without an address is refused', async () => {
    const id = await newOrder(agent);
    const bare = await newLp(corridor, { asset: false });
    const input = claimStep(id, {
      command: { trigger: 'claim', lpId: bare.id, collateral: '10.00', validUntil: 'infinity' },
    });
    expect(await performStep(corridor.db, 'claim', input)).toMatchObject({ result: 'no_receive_address' });
  });

  test('of an order that is not there fails, naming it', async () => {
    await expect(performStep(corridor.db, 'claim', claimStep(987_654))).rejects.toThrow('order 987654');
  });
});

test('the first answer to a request stays', async () => {
  const id = await newOrder(agent);
  const [requestId, other] = [randomUUID(), randomUUID()];
  await recordAnswers(corridor.db, id, [{ requestId, result: 'wrong_state' }]);
  await recordAnswers(corridor.db, id, [
    { requestId: other, result: 'order_frozen' },
    { requestId, result: 'already' },
    { requestId: other, result: 'already' },
  ]);
  const sql = 'select result, status from order_outcome where request_id = any($1) order by result';
  expect(await corridor.db.query('answer', sql, [[requestId, other]])).toEqual([
    { result: 'order_frozen', status: 'matched' },
    { result: 'wrong_state', status: 'matched' },
  ]);
});
