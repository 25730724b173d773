import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { maskOrders } from '../../src/operations/retention/mask-orders.ts';
import { businessTables } from '../support/dump.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectNoPendingWebhooks } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Masking is the only way to change who an order's fiat is for, and can be used for nothing else. */
const corridor = await useCorridor();
const { db } = corridor;
const receipts = { remove: async () => undefined };

const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const live = await agent.newOrder();
await expectStatus(200, lp.claim(live));
const ended = await corridor.completedOrder(agent, lp, { recipient_name: 'Jane Wanjiku' });
const cancelled = await agent.newOrder({ callback_url: corridor.receiver.url });
await expectStatus(200, agent.cancel(cancelled));
await expectNoPendingWebhooks(db);
// Upkeep would change other tables meanwhile.
await corridor.stopWorker();

const MASK = `recipient = '•••', recipient_name = case when recipient_name is null then null else '•••' end,
  recipient_details = '{"phone": "•••"}', receipt_url = null`;

describe('the events of an order', () => {
  test.each([
    ['the actor', () => `update order_event set actor = 'admin:root' where order_id = ${ended}`],
    ['the time', () => `update order_event set created_at = now() where order_id = ${ended} and seq = 2`],
    ['the reason', () => `update order_event set reason = 'x' where order_id = ${cancelled}`],
    ['the reason of a live order', () => `update order_event set reason = '•••' where order_id = ${live}`],
    [
      'the receipt of an order that is not masked',
      () => `update order_event set snapshot = snapshot || '{"receipt_url": null}' where order_id = ${ended}`,
    ],
    ['an event, by its removal', () => `delete from order_event where order_id = ${ended} and seq = 3`],
    ['all of them, by their removal', () => 'truncate order_event cascade'],
  ])('cannot be changed or deleted: %s, in any kind of session', async (_, sql) => {
    const client = await db.pool.connect();
    try {
      for (const role of ['origin', 'replica']) {
        await client.query(`set session_replication_role = ${role}`);
        await expect(client.query(sql())).rejects.toMatchObject({
          code: '23001',
          message: expect.stringMatching(
            /^The events of orders are append-only: \w+ of order_event is refused/,
          ),
        });
      }
    } finally {
      client.release(true);
    }
  });

  test('keep everything else of an order that is being masked', async () => {
    const client = await db.pool.connect();
    const change = async (set: string): Promise<string> => {
      await client.query('savepoint before');
      const made = await client
        .query(`update order_event set ${set} where order_id = ${cancelled} and reason is not null`)
        .then(
          ({ rowCount }) => `${rowCount} changed`,
          ({ code }) => code as string,
        );
      await client.query('rollback to before');
      return made;
    };
    try {
      await client.query('begin');
      await client.query(`select begin_masking(array[${cancelled}]::bigint[])`);
      for (const set of [
        `actor = 'admin:root'`,
        `created_at = created_at - interval '1 day'`,
        `status = 'completed'`,
        `snapshot = snapshot || '{"amount_usd": "1"}'`,
        `snapshot = snapshot || '{"receipt_url": "/another"}'`,
        `reason = 'Another reason'`,
        `reason = '%'`,
        `reason = repeat('_', length(reason))`,
        `reason = reason || '.'`,
        'reason = null',
      ])
        expect([set, await change(set)]).toEqual([set, '23001']);
      expect(await change(`reason = '•••' || substr(reason, 4)`)).toBe('1 changed');
      expect(await change(`snapshot = snapshot || '{"receipt_url": null}'`)).toBe('1 changed');
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('the recipient of an order', () => {
  test.each([
    [
      'to another one, while it is live',
      () => `update orders set recipient = '+254799999999' where id = ${live}`,
    ],
    ['to the mask, while it is live', () => `update orders set ${MASK} where id = ${live}`],
    [
      'in its details, while it is live',
      () => `update orders set recipient_details = '{"phone": "+254799999999"}' where id = ${live}`,
    ],
    [
      'to another one, after it has ended',
      () => `update orders set recipient = '+254799999999' where id = ${ended}`,
    ],
    [
      'together with its amount',
      () => `update orders set ${MASK}, amount_usd = amount_usd + 1 where id = ${ended}`,
    ],
    ['together with its LP', () => `update orders set ${MASK}, lp_id = null where id = ${ended}`],
    ['together with its status', () => `update orders set ${MASK}, status = 'disputed' where id = ${ended}`],
    [
      'with a reason of another text',
      () => `update orders set ${MASK}, status_reason = 'x' where id = ${ended}`,
    ],
    [
      'with a reason of another code',
      () => `update orders set ${MASK}, status_reason_code = 'note' where id = ${ended}`,
    ],
  ])('cannot change %s, in any kind of session', async (_, sql) => {
    const client = await db.pool.connect();
    try {
      for (const role of ['origin', 'replica']) {
        await client.query(`set session_replication_role = ${role}`);
        await expect(client.query(sql())).rejects.toMatchObject({
          code: '23001',
          message: expect.stringContaining('cannot change. Masking can remove it, after the order has ended'),
        });
      }
    } finally {
      client.release(true);
    }
  });

  test('of a live order is not masked, and the order cannot be called masked', async () => {
    const before = await businessTables(db);
    const masked = await maskOrders({ db, receipts }, [live], 'attack').catch((error) => error.message);
    expect(masked).toEqual({ ids: [], failures: [] });
    await db.pool.query(`select end_masking(array[${live}, ${ended}]::bigint[], '{}', 'attack')`);
    expect(await businessTables(db)).toEqual(before);
    await expect(
      db.pool.query(`update orders set masked_at = now() where id = any (array[${live}, ${ended}])`),
    ).rejects.toMatchObject({ constraint: 'orders_masked_when_ended' });
  });

  test('of an order whose webhook is being sent is not masked', async () => {
    const send = (state: string) =>
      db.pool.query(`update webhook_delivery set state = '${state}' where order_id = ${cancelled}`);
    await send('pending');
    expect((await maskOrders({ db, receipts }, [cancelled], 'attack')).ids).toEqual([]);
    await send('delivered');
    expect((await maskOrders({ db, receipts }, [cancelled], 'attack')).ids).toEqual([cancelled]);
  });
});

test('masking changes nothing but personal data: no amount, no book, no hash', async () => {
  const rest = async () => {
    const { orders, audit_event, webhook_delivery, idempotency_key, ...others } = await businessTables(db);
    const { rows } = await db.pool.query(
      `select to_jsonb(o) - '{recipient,recipient_name,recipient_details,masked_at}'::text[] as kept from orders o order by id`,
    );
    return { others, rows };
  };
  const before = await rest();
  expect((await maskOrders({ db, receipts }, [ended], 'test')).ids).toEqual([ended]);
  expect(await rest()).toEqual(before);
  expect((await maskOrders({ db, receipts }, [ended], 'test')).ids).toEqual([]);
});

test('a masked order takes no new receipt', async () => {
  await maskOrders({ db, receipts }, [ended], 'test');
  const answer = await upload(lp, ended, fileOf(HEADS['image/png'], 2_000));
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([403, 'receipt_not_allowed']);
});
