import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { type DatabaseOptions, migrate, openDatabase } from '../../src/db/orm.ts';
import { testEnvironment } from '../support/environment.ts';
import { insertAgent, insertLp, insertOrder } from '../support/rows.ts';

test('strikes that were only counted become rows, with the orders that they were for', async () => {
  const url = testEnvironment().adminUrl.replace(/\/postgres$/, `/test_${randomBytes(6).toString('hex')}`);
  const options: DatabaseOptions = { url, create: true, debug: () => undefined };
  const db = await openDatabase(options);
  try {
    await db.orm.migrator.up({ to: 'Migration20261121150500_presence' });
    const [agent, lp, other] = [await insertAgent(db), await insertLp(db), await insertLp(db)];
    const orderId = await insertOrder(db, agent);
    const statuses = ['matched', 'claimed', 'matched', 'claimed', 'fiat_sent'];
    for (const [i, status] of statuses.entries()) {
      const owner = status === 'matched' ? null : i < 2 ? lp : other;
      await db.pool.query(
        `insert into order_event (order_id, seq, from_status, status, actor, cause, snapshot, created_at)
        values ($1, $2, $3, $4, 'service', 'c', jsonb_build_object('lp_id', $5::bigint), '2026-03-01T09:00:00Z')`,
        [orderId, i + 1, statuses[i - 1], status, owner],
      );
    }
    expect(await migrate(options)).toContain('Migration20261121160300_matching');
    const { rows } = await db.pool.query(
      `select order_id, seq, lp_id, forgiveness_id, created_at = '2026-03-01T09:00:00Z' as at_its_time from lp_strike`,
    );
    expect(rows).toEqual([{ order_id: orderId, seq: 3, lp_id: lp, forgiveness_id: null, at_its_time: true }]);
  } finally {
    await db.close();
  }
});
