import type { Database } from '../../src/db/orm.ts';
import { eventually } from './eventually.ts';

const MADE = 'select offered_at >= offers_due_at as made from lp_auto_claim where lp_id = $1';

/** Waits until the worker has offered the open orders to an LP for all that has made offers due so far. */
export const offersAreMade = (db: Database, lpId: number) =>
  eventually(
    async () => (await db.query<{ made: boolean | null }>('offers-are-made', MADE, [lpId]))[0]?.made,
  );
