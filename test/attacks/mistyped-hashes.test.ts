import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { recordVerdict } from '../../src/orders/record-verdict.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { stateOf } from '../support/take-step.ts';
import { useCorridor } from '../support/use-corridor.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** Agents replace the transaction of an order, honestly and dishonestly. */
const corridor = await useCorridor();
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });

/** An order whose agent settled it with a transaction that is not on the chain. */
const mistyped = async (): Promise<number> => {
  const id = await agent.confirmedOrder(lp);
  await expectStatus(200, agent.settle(id, `sandbox-missing-${id}`));
  return id;
};
/** Repeats the call until a check has found that the previous transaction is missing. */
const replace = (id: number, hash: string) =>
  eventuallyEquals(async () => (await agent.settle(id, hash)).status, 200);
/** Runs only the step, at this version of the order. */
const replaceAt = async (id: number, version: number, hash: string) =>
  performStep(
    corridor.db,
    'replaceTransaction',
    {
      ...{ orderId: id, state: { ...(await stateOf(corridor.db, id)), version }, requestId: randomUUID() },
      ...{ actor: 'agent:1', command: { trigger: 'settle', txHash: hash, txHashGiven: hash } },
    },
    NO_LIMITS,
  );
const waitUntilMissing = (id: number) =>
  eventually(async () => {
    const sql = `select 1 from payment_verdict v join orders o on o.id = v.order_id and o.version = v.version
      where o.id = $1 and v.kind = 'not_found'`;
    return (await corridor.db.query('test-missing', sql, [id])).length === 1;
  });

test('a mistyped hash is replaced by its agent: the deadline stays, and the timeline names both', async () => {
  const id = await mistyped();
  const { timeout_at } = await corridor.rowOf(id);
  const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`));
  const later = { final_after_ms: 600_000 };
  const hash = await corridor.transaction(lp.address, crypto_amount, later);
  await replace(id, hash);
  // The same hash in another spelling is the same call.
  expect((await agent.settle(id, `0x${hash.toUpperCase()}`)).status).toBe(200);
  const row = await corridor.rowOf(id);
  expect(row).toMatchObject({ status: 'crypto_verify_pending', version: 6, timeout_at });
  expect(await corridor.lastTransition(id)).toMatchObject({
    cause: 'settle',
    reason: `Replaces sandbox-missing-${id}, which was not found`,
  });
  const finalise = `update sandbox_transaction set final_at = date_trunc('milliseconds', now()) where tx_hash = $1`;
  await corridor.db.query('test-finalise', finalise, [hash]);
  await eventuallyEquals(() => agent.statusOf(id), 'completed');
});

test('a hash can be replaced five times, even with parallel calls, and then only by an admin', async () => {
  const id = await mistyped();
  for (let i = 1; i <= 5; i++) await replace(id, `sandbox-missing-${id}-${i}`);
  await waitUntilMissing(id);
  const answers = await Promise.all([6, 7, 8].map((i) => agent.settle(id, `sandbox-missing-${id}-${i}`)));
  const error = 'The order’s transaction has been replaced too often';
  for (const answer of answers) expect(answer).toMatchObject({ status: 409, body: { error } });
  const right = { tx_hash: `sandbox-paid-${id}` };
  await expectStatus(200, corridor.adminDoes('retry-verification', id, right));
  await eventuallyEquals(() => agent.statusOf(id), 'completed');
});

test('one of many parallel replacements wins', async () => {
  const id = await mistyped();
  await waitUntilMissing(id);
  const { version } = await corridor.rowOf(id);
  const hashes = [1, 2, 3, 4, 5].map((i) => `sandbox-missing-${id}-${i}`);
  const reports = await Promise.all(hashes.map((hash) => replaceAt(id, version, hash)));
  expect(reports.filter(({ result }) => result === 'applied')).toHaveLength(1);
  expect((await corridor.rowOf(id)).version).toBe(version + 1);
});

test('a transaction that is on its chain is not replaced, and another agent cannot replace it', async () => {
  const id = await agent.confirmedOrder(lp);
  await expectStatus(200, agent.settle(id, `sandbox-pending-${id}`));
  const other = `sandbox-paid-${id}`;
  for (let i = 0; i < 3; i++) {
    expect(await agent.settle(id, other)).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^The order’s transaction can be replaced only/) },
    });
  }
  const { version } = await corridor.rowOf(id);
  await eventually(async () => {
    const sql = `select 1 from payment_verdict where order_id = $1 and kind = 'pending'`;
    return (await corridor.db.query('test-pending', sql, [id])).length === 1;
  });
  expect(await replaceAt(id, version, other)).toMatchObject({ result: 'not_replaceable' });
  expect((await (await corridor.newAgent()).settle(id, other)).status).toBe(404);
  expect((await corridor.rowOf(id)).version).toBe(version);
});

test('of a replacement and a concurrent check that finds the transaction, only one counts', async () => {
  const outcomes = new Set<string>();
  for (let round = 0; round < 6; round++) {
    const id = await mistyped();
    await waitUntilMissing(id);
    // Only this test checks a transaction that the workflow does not find.
    const { version } = await corridor.rowOf(id);
    const found = { kind: 'verified', paid: '1', note: null } as const;
    const verification = { orderId: id, version, chain: 'trx', txHash: `sandbox-missing-${id}` };
    const works = [() => replaceAt(id, version, 'ab'), () => recordVerdict(corridor.db, verification, found)];

    // Both statements begin before either can continue.
    const other = await corridor.db.pool.connect();
    await other.query('begin');
    await other.query('select from payment_verdict where order_id = $1 for update', [id]);
    const waiting = () => countWaiting(corridor.db.pool, 'payment_verdict');
    const [first, second] = round % 2 ? works : works.toReversed();
    const begun = [first?.()];
    await eventually(waiting);
    begun.push(second?.());
    await eventually(async () => (await waiting()) >= 2);
    await other.query('commit');
    other.release();
    await Promise.all(begun);

    const [after] = await corridor.db.query<{ replaced: boolean; reserved: number }>(
      'test-after',
      `select user_crypto_tx_hash = 'ab' as replaced,
         (select count(*)::int from chain_transaction t where t.order_id = o.id) as reserved
       from orders o where id = $1`,
      [id],
    );
    expect(after?.replaced).toBe(after?.reserved === 0);
    outcomes.add(String(after?.replaced));
  }
  expect([...outcomes].sort()).toEqual(['false', 'true']);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));
