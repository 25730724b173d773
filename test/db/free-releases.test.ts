import { afterAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../../src/db/orm.ts';
import { freeReleasesLeft } from '../../src/market/lps/free-releases.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { openBooks } from '../support/books.ts';
import { editEvents } from '../support/edit-events.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { stepInput } from '../support/take-step.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** Which releases cost a strike and bring the order closer to its end. */
const books = await openBooks();
afterAll(() => books.db.close());

const FREE = 3;
const MANY = 64;
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;
async function richLp(): Promise<number> {
  const lp = await books.newLp();
  await books.deposit(lp, '10000');
  return lp;
}
async function claimed(lp: number, orderId?: number): Promise<number> {
  const draft = orderId === undefined ? await books.draft(lp, '1295') : undefined;
  if (draft) await books.create(draft);
  const id = draft?.id ?? orderId ?? 0;
  await books.apply(id, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
  return id;
}
const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
/** Performs a release like the workflow, without a step's finding. */
async function release(
  lp: number,
  orderId: number,
  freeSince = ago(2),
  freeReleases = FREE,
  db: Database = books.db,
) {
  const command = { trigger: 'release', lpId: lp, freeSince } as const;
  const input = await stepInput(books.db, orderId, command, `lp:${lp}`);
  return performStep(db, 'reofferOrder', input, { ...NO_LIMITS, freeReleases });
}
const strikes = async (lp: number) => (await query('select 1 from lp_strike where lp_id = $1', [lp])).length;
const frees = async (lp: number) => (await query('select 1 from free_release where lp_id = $1', [lp])).length;
const left = (lp: number) => freeReleasesLeft(books.db, lp, FREE);

describe('an LP', () => {
  test('has three free releases a day, and each further one is a strike', async () => {
    const lp = await richLp();
    const seen: number[][] = [];
    for (let i = 0; i < 5; i++) {
      expect((await release(lp, await claimed(lp))).result).toBe('applied');
      seen.push([await strikes(lp), await left(lp)]);
    }
    expect(seen).toEqual([
      [0, 2],
      [0, 1],
      [0, 0],
      [1, 0],
      [2, 0],
    ]);
  });

  test('gets its free releases back after 24 hours, and no others', async () => {
    const lp = await richLp();
    for (let i = 0; i < FREE; i++) await release(lp, await claimed(lp));
    const age = `update free_release set created_at = now() - $2 * interval '1 minute' where lp_id = $1`;
    await query(age, [lp, 23 * 60 + 59]);
    await release(lp, await claimed(lp));
    expect([await strikes(lp), await left(lp)]).toEqual([1, 0]);
    await query(age, [lp, 24 * 60 + 1]);
    expect(await left(lp)).toBe(FREE);
    await release(lp, await claimed(lp));
    expect([await strikes(lp), await left(lp)]).toEqual([1, 2]);
  });

  test('uses up no free release with a late or a repeated release', async () => {
    const lp = await richLp();
    const id = await claimed(lp);
    const age = `update order_event set created_at = created_at - interval '3 minutes' where order_id = $1`;
    await editEvents(books.db.pool, age, [id]);
    await release(lp, id);
    expect([await strikes(lp), await left(lp)]).toEqual([1, FREE]);

    const again = await claimed(lp);
    const command = { trigger: 'release', lpId: lp, freeSince: ago(2) } as const;
    const input = await stepInput(books.db, again, command, `lp:${lp}`);
    const runs = Array.from({ length: 8 }, () =>
      performStep(books.db, 'reofferOrder', input, { ...NO_LIMITS, freeReleases: FREE }),
    );
    for (const { result } of await Promise.all(runs)) expect(result).toBe('applied');
    expect([await strikes(lp), await left(lp)]).toEqual([1, FREE - 1]);
  });

  test('has none if the operator allows none, and another LP’s do not count', async () => {
    const [one, two] = [await richLp(), await richLp()];
    await release(one, await claimed(one), ago(2), 0);
    expect([await strikes(one), await frees(one)]).toEqual([1, 0]);
    for (let i = 0; i < FREE; i++) await release(two, await claimed(two));
    expect([await strikes(two), await left(one)]).toEqual([0, FREE]);
  });

  test('releases 64 orders at the same moment: three are free, and the others are strikes', async () => {
    const lp = await richLp();
    const ids: number[] = [];
    for (let i = 0; i < MANY; i++) ids.push(await claimed(lp));
    const largePool = await openDatabase({ url: books.url, debug: () => undefined, poolSize: MANY });
    const holder = await books.db.pool.connect();
    try {
      // All of them begin before one of them can commit.
      await holder.query('begin');
      await holder.query('select from lp_collateral where lp_id = $1 for update', [lp]);
      const releases = Promise.all(ids.map((id) => release(lp, id, ago(2), FREE, largePool)));
      await eventuallyEquals(() => countWaiting(books.db.pool), MANY);
      await holder.query('commit');
      for (const { result } of await releases) expect(result).toBe('applied');
    } finally {
      holder.release(true);
      await largePool.close();
    }
    expect([await frees(lp), await strikes(lp), await left(lp)]).toEqual([FREE, MANY - FREE, 0]);
    expect(await query('select locked::float from lp_collateral where lp_id = $1', [lp])).toEqual([
      { locked: 0 },
    ]);
  });
});

describe('an order', () => {
  test('stays on offer however many LPs release it for free', async () => {
    const id = (await books.draft(await richLp(), '1295')).id;
    await books.create({ ...(await books.draft(await richLp(), '1295')), id });
    for (let i = 0; i < 5; i++) {
      const lp = await richLp();
      await claimed(lp, id);
      expect((await release(lp, id)).state).toMatchObject({ status: 'matched', reoffers: 0 });
    }
  });

  test('of a revoked agent ends with its release or deadline, without a strike or a free release', async () => {
    const lp = await richLp();
    for (const trigger of ['release', 'deadline'] as const) {
      const id = await claimed(lp);
      await books.revokeAgentOf(id);
      const { version } = await books.state(id);
      const { state } = await books.apply(
        id,
        trigger === 'deadline' ? { trigger, version } : { trigger, lpId: lp, freeSince: ago(2) },
      );
      expect(state).toMatchObject({ status: 'cancelled', reoffers: 0 });
    }
    expect([await strikes(lp), await left(lp)]).toEqual([0, FREE]);
  });

  test('ends with the third release that is not free', async () => {
    const draft = await books.draft(await richLp(), '1295');
    await books.create(draft);
    for (const expected of ['matched', 'matched', 'not_reofferable']) {
      const lp = await richLp();
      await claimed(lp, draft.id);
      const { result, state } = await release(lp, draft.id, ago(2), 0);
      expect(result === 'applied' ? state.status : result).toBe(expected);
      if (result === 'applied') continue;
      const found = { trigger: 'release', lpId: lp, freeSince: ago(2), found: 'not_reofferable' } as const;
      const input = await stepInput(books.db, draft.id, found, `lp:${lp}`);
      // After a free release the order would continue, so it must not end.
      expect((await performStep(books.db, 'cancelUnpaid', input, NO_LIMITS)).result).toBe('stale');
      const last = await performStep(books.db, 'cancelUnpaid', input, { ...NO_LIMITS, freeReleases: 0 });
      expect(last).toMatchObject({ result: 'applied', state: { status: 'cancelled', reoffers: 3 } });
      expect(await strikes(lp)).toBe(1);
    }
  });
});
