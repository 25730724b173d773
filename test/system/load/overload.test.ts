import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import type { Answer } from '../../../dev/http-client.ts';
import { retryAfterMs } from '../../../dev/repeat-unmoved.ts';
import {
  type Agent,
  claim,
  confirm,
  fiatSent,
  newLp,
  newUnlimitedAgent,
  pay,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { settleAgain } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';

/** Concurrent payments, and concurrent claims for each accepted payment. */
const PAYMENTS = scaled({ short: 60, long: 2_000 });
const CLAIMS = 2;

let corridor: TestCorridor;
let agent: Agent;
let lps: TestLp[];
beforeAll(async () => {
  // With two connections, Corridor gets more concurrent calls than it can serve in time.
  corridor = await startCorridor({ env: { DATABASE_POOL_SIZE: '2' } });
  agent = await newUnlimitedAgent(corridor);
  lps = [];
  for (let i = 0; i < CLAIMS; i++) lps.push(await newLp(corridor, { collateral: (PAYMENTS + 1) * 10 }));
}, SCALED_TIMEOUT_MS);
afterAll(() => corridor.stop());

/** The responses to calls that wait for a lock on orders. The lock ends with the first 503. */
async function whileNothingMoves(calls: () => Promise<Answer>[]): Promise<Answer[]> {
  const client = new pg.Client(corridor.databaseUrl);
  await client.connect();
  try {
    await client.query('begin');
    // Writers wait. The lock takes no transaction id, which would also delay the feeds of other tests' databases.
    await client.query('lock table orders in exclusive mode');
    const answers = calls();
    await Promise.any(
      answers.map(async (answer) => {
        if ((await answer).status !== 503) throw new Error('served');
      }),
    );
    await client.query('rollback');
    return await Promise.all(answers);
  } finally {
    await client.end();
  }
}

/** Counts the responses by status. Expects a Retry-After if the contract requires one. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const answer of answers) {
    if (answer.status === 503 || answer.status === 429) retryAfterMs(answer);
    counts[answer.status] = (counts[answer.status] ?? 0) + 1;
  }
  process.stderr.write(`\ntests: overload answered ${JSON.stringify(counts)}`);
  return counts;
}
const others = (counts: Record<number, number>, allowed: number[]) =>
  Object.keys(counts).filter((status) => !allowed.includes(Number(status)));

test(
  `${PAYMENTS} concurrent payments and ${CLAIMS} claims of each are served or refused by the contract, and Corridor recovers`,
  async () => {
    const keyed = (n: number) => ({ 'idempotency-key': `overload-${n}` });
    const all = Array.from({ length: PAYMENTS }, (_, n) => n);
    const paid = await Promise.all(all.map((n) => pay(agent, {}, keyed(n))));
    expect(others(tally(paid), [201, 429, 503])).toEqual([]);
    const accepted = paid.filter(({ status }) => status === 201).map(({ body }) => body.order_id as number);

    const race = () => accepted.flatMap((id) => lps.map((lp) => claim(lp, id)));
    const putOff = await whileNothingMoves(race);
    const counts = tally(putOff);
    expect(others(counts, [200, 409, 429, 503])).toEqual([]);
    expect(counts[503]).toBeGreaterThan(0);
    const claimed = await Promise.all(race());
    expect(others(tally(claimed), [200, 409, 429, 503])).toEqual([]);
    const hasWon = (answers: Answer[], i: number) =>
      answers.slice(i * CLAIMS, (i + 1) * CLAIMS).some(({ status }) => status === 200);
    const won = accepted.filter((_, i) => hasWon(putOff, i) || hasWon(claimed, i));

    // Corridor recovers, and an order completes.
    await eventuallyEquals(async () => (await corridor.anyone('GET', '/readyz')).status, 200);
    const lp = lps[0] as TestLp;
    const { body } = await retryWhile503(() => pay(agent, {}, keyed(PAYMENTS)));
    const hash = 'sandbox-paid-overload';
    const steps = [
      () => claim(lp, body.order_id),
      () => fiatSent(lp, body.order_id),
      () => confirm(agent, body.order_id),
      () => settleAgain(agent, body.order_id, hash),
    ];
    for (const step of steps) expect((await retryWhile503(step)).status).toBe(200);
    await eventuallyEquals(() => statusOf(agent, body.order_id), 'completed');

    // Every accepted payment exists. A payment that got a 503 exists once, from its first call or from a retry.
    const again: Answer[] = [];
    const repeats = [...all];
    const repeat = async () => {
      for (let n = repeats.shift(); n !== undefined; n = repeats.shift()) {
        const headers = keyed(n);
        again[n] = await retryWhile503(() => pay(agent, {}, headers));
      }
    };
    await Promise.all(Array.from({ length: 8 }, repeat));
    const ids = again.map(({ body: repeated }) => repeated.order_id as number);
    expect(others(tally(again), [200, 201])).toEqual([]);
    for (const [n, { status, body: first }] of paid.entries())
      if (status === 201) expect(ids[n]).toBe(first.order_id);
    const rows = await corridor.db.query<{ id: number; status: string }>(
      'overload-rows',
      'select id, status from orders order by id',
      [],
    );
    expect(rows.map(({ id }) => id)).toEqual([...ids, body.order_id].sort((a, b) => a - b));
    const claims = new Set(rows.filter(({ status }) => status !== 'matched').map(({ id }) => id));
    for (const id of won) expect(claims).toContain(id);
    // No order is half done, and each has its workflow.
    await expectSoundWhenStill(corridor);
  },
  SCALED_TIMEOUT_MS,
);
