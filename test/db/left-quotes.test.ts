import { afterAll, expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/orm.ts';
import { refreshLpStatistics } from '../../src/market/lps/refresh-statistics.ts';
import { freshDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { insertAbleLp, insertAgent, insertOrder } from '../support/rows.ts';

const db = await openDatabase({ url: await freshDatabase(), debug: () => undefined });
const agent = await insertAgent(db);
afterAll(() => db.close());

/** An order that is quoted from the LP and ends `hour` hours after the year began: claimed, or expired unclaimed. */
async function quote(lpId: number, hour: number, isClaimed: boolean): Promise<void> {
  const end = isClaimed ? ['claimed', 'claim'] : ['cancelled', 'deadline'];
  await db.pool.query(
    `insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot, created_at)
     select $1::bigint, seq, before, status, 'service', cause, jsonb_build_object('lp_id', $2::bigint),
       '2026-01-01'::timestamptz + $3 * interval '1 hour'
     from (values (1, null, 'matched', 'pay'), (2, 'matched', $4, $5)) event (seq, before, status, cause)`,
    [await insertOrder(db, agent), lpId, hour, ...end],
  );
}

/** `u`: a quoted order that expires unclaimed, `c`: a claimed one. One ends each hour. */
test.each<[string, string, number | null]>([
  ['four unclaimed orders', 'uuuu', null],
  ['five', 'uuuuu', 5],
  ['five of ten', 'cccccuuuuu', null],
  ['six of ten', 'ccccuuuuuu', 10],
  ['six after ninety claims', `${'c'.repeat(90)}uuuuuu`, 96],
  ['fewer claims after them', 'uuuuucccc', 5],
  ['as many claims after them', 'uuuuuccccc', null],
  ['older ones that the claims do not outweigh', 'uuuuuuuuuucccc', 10],
  ['one more after the time is over', `${'u'.repeat(5)}${' '.repeat(48)}u`, 54],
])('an LP ranks last for a day after the last quote that it left: %s', async (_what, story, last) => {
  const lp = await insertAbleLp(db, 'KES');
  for (const [i, kind] of [...story].entries()) if (kind !== ' ') await quote(lp, i + 1, kind === 'c');
  const wanted = story.replaceAll(' ', '').length;
  const read = async () => {
    await refreshLpStatistics(db, 7, 0);
    const sql = `select cardinality(recent_quotes) as quotes, extract(epoch from ranks_last_until - '2026-01-02')::float / 3600 as hour
      from lp_statistics where lp_id = $1`;
    return (await db.pool.query(sql, [lp])).rows[0];
  };
  // Any open transaction on the server, even of another test, holds events back.
  await eventually(async () => (await read())?.quotes === wanted);
  expect((await read()).hour).toBe(last);
});
