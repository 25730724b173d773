import { randomUUID } from 'node:crypto';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderState, StepName } from '../../src/domain/order-state.ts';
import type { StepInput } from '../../src/domain/order-steps.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import { openBooks } from '../support/books.ts';
import { stepInput } from '../support/take-step.ts';
import { workerSteps } from '../support/worker-steps.ts';

let order: number;
/**
 * An intruder with access to Temporal writes a history in which the state of an order differs from its row. The commands
 * are genuine: an accomplice had the API sign them. No worker may move the order because of such a state.
 */
const books = await openBooks();
const worker = workerSteps(books);
const [lp, accomplice] = [await books.newLp(), await books.newLp()];
for (const id of [lp, accomplice]) await books.deposit(id, '10000');
afterAll(() => books.db.close());
beforeEach(async () => {
  const draft = await books.draft(lp, '1295');
  await books.create(draft);
  order = draft.id;
});

const claimed = () => books.apply(order, { trigger: 'claim', lpId: lp, validUntil: 'infinity' });
async function verifying(txHash = randomUUID().replaceAll('-', '')): Promise<string> {
  await claimed();
  await books.apply(order, { trigger: 'fiatSent', lpId: lp });
  await books.apply(order, { trigger: 'confirm' });
  await books.apply(order, { trigger: 'settle', txHash, txHashGiven: txHash });
  return txHash;
}
const set = (columns: string) => books.db.pool.query(`update orders set ${columns} where id = $1`, [order]);
const contents = async () => {
  const { rows } = await books.db.pool.query(
    `select to_jsonb(o) as row, (select jsonb_agg(r order by r.request_id) from order_outcome r where r.order_id = o.id) as outcomes,
       (select jsonb_agg(c order by c.lp_id) from lp_collateral c) as collateral
     from orders o where id = $1`,
    [order],
  );
  return rows;
};

/** A step's input from a forged history, with a signed command. */
async function forged(command: Command, made: Partial<OrderState>, actor = 'agent:1'): Promise<StepInput> {
  const input = await stepInput(books.db, order, command, actor);
  return worker.signed({ ...input, state: { ...input.state, ...made } });
}
async function expectStale(step: StepName, input: StepInput): Promise<void> {
  const before = await contents();
  expect(await worker.steps[step](input)).toMatchObject({ result: 'stale' });
  expect(await contents()).toEqual(before);
}

describe('a forged state does not', () => {
  test('let another LP mark the fiat as sent', async () => {
    await claimed();
    const command = { trigger: 'fiatSent', lpId: accomplice } as const;
    await expectStale('markFiatSent', await forged(command, { lpId: accomplice }, `lp:${accomplice}`));
  });

  test('let another LP dispute or release the order', async () => {
    await claimed();
    const release = { trigger: 'release', lpId: accomplice, freeSince: new Date().toISOString() } as const;
    await expectStale('reofferOrder', await forged(release, { lpId: accomplice }));
    await books.apply(order, { trigger: 'fiatSent', lpId: lp });
    await expectStale(
      'openDispute',
      await forged({ trigger: 'dispute', by: 'lp', lpId: accomplice }, { lpId: accomplice }),
    );
  });

  test('let an LP claim an order again after its failed claim', async () => {
    await set(`excluded_lp_ids = array[${accomplice}]`);
    const command = { trigger: 'claim', lpId: accomplice, validUntil: 'infinity' } as const;
    await expectStale('claim', await forged(command, { excludedLpIds: [] }));
  });

  test('end an order as if its third claim had failed, or offer it once more', async () => {
    await claimed();
    await set(`timeout_at = date_trunc('milliseconds', now())`);
    const missed = { trigger: 'deadline', version: 2 } as const;
    await expectStale('cancelUnpaid', await forged(missed, { reoffers: 2 }));
    await set('reoffers = 2');
    await expectStale('reofferOrder', await forged(missed, { reoffers: 0 }));
  });

  test('end an order as if there were no other LP', async () => {
    await claimed();
    const release = {
      trigger: 'release',
      lpId: lp,
      freeSince: new Date().toISOString(),
      found: 'not_reofferable',
    } as const;
    await expectStale('cancelUnpaid', await forged(release, {}));
  });

  test('move a frozen order', async () => {
    await set('frozen_ms = 1, timeout_at = null');
    const claim = { trigger: 'claim', lpId: lp, validUntil: 'infinity' } as const;
    await expectStale('claim', await forged(claim, { frozenMs: null }));
    await set(`frozen_ms = null, timeout_at = now() + interval '1 hour'`);
    await claimed();
    await books.apply(order, { trigger: 'freeze' });
    await expectStale('markFiatSent', await forged({ trigger: 'fiatSent', lpId: lp }, { frozenMs: null }));
  });

  test('give back more time than a frozen order had', async () => {
    await claimed();
    await books.apply(order, { trigger: 'freeze' });
    await expectStale('unfreeze', await forged({ trigger: 'unfreeze' }, { frozenMs: 1 }));
  });

  test('settle with a transaction that was rejected before', async () => {
    const txHash = await verifying();
    await books.apply(order, { trigger: 'invalid', version: 5, reason: reasonOf('other_address') });
    const command = { trigger: 'settle', txHash, txHashGiven: txHash } as const;
    await expectStale('settle', await forged(command, { rejectedTxHashes: [] }));
  });

  test('replace a transaction once too often', async () => {
    await verifying();
    await books.check(order, 'not_found');
    await set('replacements = 5');
    const command = { trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' } as const;
    await expectStale('replaceTransaction', await forged(command, { replacements: 4 }));
  });

  test('dispute an order as if three transactions had been rejected', async () => {
    await verifying();
    await books.check(order, 'invalid');
    await expectStale(
      'openDispute',
      await forged({ trigger: 'invalid', version: 5, reason: reasonOf('other_address') }, { rejections: 2 }),
    );
  });

  test('answer a request', async () => {
    await claimed();
    const before = await contents();
    const { state, ...request } = await forged(
      { trigger: 'fiatSent', lpId: lp },
      { lpId: accomplice },
      `lp:${lp}`,
    );
    const row = await worker.steps.answer({ orderId: order, state, requests: [request] });
    expect(row).toMatchObject({ result: 'stale', state: { lpId: lp } });
    expect(await contents()).toEqual(before);
  });
});

describe('a forged history does not decide', () => {
  test('what a command does', async () => {
    await claimed();
    const confirm = await forged({ trigger: 'confirm' }, { status: 'fiat_sent' });
    await expect(worker.steps.complete(confirm)).rejects.toThrow('cannot take the step complete for confirm');
    const early = { orderId: order, state: confirm.state, requests: [confirm] };
    await expect(worker.steps.answer(early)).rejects.toThrow('takes the step confirm, and no answer alone');
  });

  test('how long a stage lasts', async () => {
    const claim = await forged({ trigger: 'claim', lpId: lp, validUntil: 'infinity' }, {}, `lp:${lp}`);
    const made = { deadline: { inMs: 1 }, to: 'completed', durations: { fiat: 1 } };
    const { state } = await worker.steps.claim({ ...claim, ...made } as StepInput);
    expect(state.status).toBe('claimed');
    const { rows } = await books.db.pool.query(
      `select abs(extract(epoch from timeout_at - e.created_at) - 3600) < 0.01 as whole from orders o
       join order_event e on e.order_id = o.id and e.seq = o.version where o.id = $1`,
      [order],
    );
    expect(rows).toEqual([{ whole: true }]);
  });

  test('that an extension shortens a stage', async () => {
    await claimed();
    const before = await books.state(order);
    const until = new Date(Date.parse(before.timeoutAt ?? '') - 60_000).toISOString();
    const input = await forged(
      { trigger: 'extend', until },
      { timeoutAt: '2020-01-01T00:00:00.000Z' },
      'admin',
    );
    expect(await worker.steps.extendDeadline(input)).toMatchObject({ result: 'not_an_extension' });
    expect(await books.state(order)).toEqual(before);
  });

  test('who moved an order by a command of the workflow itself', async () => {
    await set(`timeout_at = date_trunc('milliseconds', now())`);
    const input = await forged({ trigger: 'deadline', version: 1 }, {}, 'admin');
    expect(await worker.steps.cancelUnclaimed(input)).toMatchObject({ result: 'applied' });
    const { rows } = await books.db.pool.query(
      'select actor from order_event where order_id = $1 and seq = 2',
      [order],
    );
    expect(rows).toEqual([{ actor: 'service' }]);
  });
});

test('a worker asks the chain only after a signed step, and not while the order is frozen', async () => {
  await verifying();
  const input = async (trigger: 'freeze' | 'unfreeze') => stepInput(books.db, order, { trigger }, 'admin');
  expect(await worker.steps.freeze(await input('freeze'))).toMatchObject({ result: 'unsigned' });
  expect(await worker.steps.freeze(worker.signed(await input('freeze')))).toMatchObject({
    result: 'applied',
  });
  expect(worker.looked).not.toContain(order);
  expect(await worker.steps.unfreeze(worker.signed(await input('unfreeze')))).toMatchObject({
    result: 'applied',
  });
  expect(worker.looked).toContain(order);
});
