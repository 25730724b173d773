import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Answer } from '../../../dev/http-client.ts';
import { openConnections } from '../../../src/db/pool.ts';
import {
  type Agent,
  claim,
  collateralOf,
  newLp,
  newUnlimitedAgent,
  pay,
  type TestLp,
} from '../../support/actors.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';
import { expectSoundWhenStill } from '../../support/soundness.ts';

const LPS = 64;
const ORDERS = scaled({ short: 2, long: 1_000 });
/**
 * The failures that no caller may get. In the short form other test files use the machine too, so a slow claim may get
 * a 503. That depends on timing, which no test asserts.
 */
const FORBIDDEN = scaled({ short: (status: number) => status !== 503, long: () => true });
/** USD */
const COLLATERAL_PER_ORDER = 10;

let corridor: TestCorridor;
let agent: Agent;
let lps: TestLp[];
beforeAll(async () => {
  corridor = await startCorridor();
  // A serving process does the same when it starts.
  await openConnections(corridor.shared.db.pool);
  agent = await newUnlimitedAgent(corridor);
  // Each LP can afford to win every order.
  const collateral = ORDERS * COLLATERAL_PER_ORDER;
  lps = await Promise.all(Array.from({ length: LPS }, () => newLp(corridor, { collateral })));
}, SCALED_TIMEOUT_MS);
afterAll(() => corridor.stop());

test(
  `${ORDERS} orders that ${LPS} LPs race for have one winner each`,
  async () => {
    /** All 5xx statuses, including those of calls that succeeded when repeated. */
    const failures: number[] = [];
    const noted = async (call: Promise<Answer>) => {
      const answer = await call;
      if (answer.status >= 500) failures.push(answer.status);
      return answer;
    };
    const wins = new Map(lps.map(({ id }) => [id, 0]));
    for (let n = 0; n < ORDERS; n++) {
      const headers = { 'idempotency-key': `race-${n}` };
      const paid = await retryWhile503(() => noted(pay(agent, {}, headers)));
      // After a 503, the repeated payment may return the existing order.
      expect([200, 201]).toContain(paid.status);
      const orderId: number = paid.body.order_id;
      const answers = await Promise.all(lps.map((lp) => retryWhile503(() => noted(claim(lp, orderId)))));
      const winners = lps.filter((_, i) => answers[i]?.status === 200);
      const losers = answers.filter(({ status }) => status !== 200);
      expect(failures.filter(FORBIDDEN)).toEqual([]);
      expect(winners).toHaveLength(1);
      expect(losers.map(({ status }) => status)).toEqual(Array(LPS - 1).fill(409));
      for (const { id } of winners) wins.set(id, (wins.get(id) ?? 0) + 1);
      const rows = await corridor.db.query(
        'race-order',
        `select o.status, o.lp_id, o.collateral_locked::float as locked, t.locks
         from orders o, lateral (select count(*)::int as locks from ledger_transfer where order_id = o.id) t
         where o.id = $1`,
        [orderId],
      );
      expect(rows).toEqual([
        { status: 'claimed', lp_id: winners[0]?.id, locked: COLLATERAL_PER_ORDER, locks: 1 },
      ]);
    }
    for (const lp of lps) {
      const locked = (wins.get(lp.id) ?? 0) * COLLATERAL_PER_ORDER;
      expect(await collateralOf(corridor, lp)).toEqual({
        available: ORDERS * COLLATERAL_PER_ORDER - locked,
        locked,
      });
    }
    await expectSoundWhenStill(corridor);
  },
  SCALED_TIMEOUT_MS,
);
