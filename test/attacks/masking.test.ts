import { beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { maskOrders } from '../../src/retention/mask-orders.ts';
import {
  type Agent,
  cancel,
  claim,
  completedOrder,
  newAgent,
  newLp,
  newOrder,
  type TestLp,
} from '../support/actors.ts';
import { businessTables } from '../support/dump.ts';
import { corridorForFile } from '../support/file-corridor.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectNoPendingWebhooks } from '../support/soundness.ts';

/** Masking is the only way to change who an order's fiat is for, and can be used for nothing else. */
const corridor = await corridorForFile();
const { db } = corridor;
const receipts = { remove: async () => undefined };
let agent: Agent;
let lp: TestLp;
let live: number;
let ended: number;
let cancelled: number;
beforeAll(async () => {
  agent = await newAgent(corridor);
  lp = await newLp(corridor);
  live = await newOrder(agent);
  await expectStatus(200, claim(lp, live));
  ended = await completedOrder(corridor, agent, lp, { recipient_name: 'Jane Wanjiku' });
  cancelled = await newOrder(agent, { callback_url: corridor.receiver.url });
  await expectStatus(200, cancel(agent, cancelled));
  await expectNoPendingWebhooks(db);
  // Upkeep would change other tables meanwhile.
  await corridor.stopWorker();
});

const MASK = `recipient = '•••', recipient_name = case when recipient_name is null then null else '•••' end,
  recipient_details = '{"phone": "•••"}', receipt_url = null`;

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
