import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { expectStatus } from '../../dev/http-client.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import { reasonOf } from '../../src/domain/status-reasons.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { confirmedOrder, settle, statusOf } from '../support/actors.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { takeStep } from '../support/take-step.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Transactions of other agents, and forged verdicts. */
const corridor = await useCorridor();
const [agent, thief] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp({ collateral: 10_000 });

const owed = async (by: Agent, id: number): Promise<number> =>
  (await expectStatus(200, by.call('GET', `/api/v1/status/${id}`))).crypto_amount;
/** Puts the payment that an order waits for on the simulated chain. */
const payment = async (by: Agent, id: number, changes = {}) =>
  corridor.transaction(lp.address, await owed(by, id), changes);
/** Makes a transaction on the simulated chain final now. */
const finalise = (hash: string) =>
  corridor.db.query(
    'test-finalise',
    `update sandbox_transaction set final_at = date_trunc('milliseconds', now()) where tx_hash = $1`,
    [hash],
  );
const shownReason = async (id: number) => (await corridor.lastTransition(id)).reason;

describe('a hash', () => {
  test('that another agent has named can still complete the order that it pays', async () => {
    const stolen = await thief.confirmedOrder(lp, { amount: 12_950 });
    const own = await agent.confirmedOrder(lp);
    const hash = await payment(agent, own, { final_after_ms: 600_000 });
    await expectStatus(200, thief.settle(stolen, `0X${hash.toUpperCase()}`));
    await expectStatus(200, agent.settle(own, hash));
    await finalise(hash);
    await eventuallyEquals(() => agent.statusOf(own), 'completed');
    await eventuallyEquals(() => thief.statusOf(stolen), 'confirmed');
  });

  test('that many orders name at the same time, in many spellings, pays at most one order', async () => {
    const ids: number[] = [];
    for (let i = 0; i < 6; i++) ids.push(await confirmedOrder(i % 2 ? thief : agent, lp));
    const hash = await payment(agent, ids[0] as number);
    const spelt = [
      hash,
      `0x${hash}`,
      `0X${hash}`,
      hash.toUpperCase(),
      `0x${hash.toUpperCase()}`,
      ` ${hash} `,
    ];
    await Promise.all(ids.map((id, i) => settle(i % 2 ? thief : agent, id, spelt[i] as string)));
    const statuses = () => Promise.all(ids.map((id, i) => statusOf(i % 2 ? thief : agent, id)));
    await eventually(async () => !(await statuses()).includes('crypto_verify_pending'));
    expect((await statuses()).filter((status) => status === 'completed')).toHaveLength(1);
    for (const id of ids) {
      if ((await corridor.rowOf(id)).status === 'completed') continue;
      expect(await corridor.lastTransition(id)).toMatchObject({
        status: 'confirmed',
        cause: 'invalid',
      });
    }
  });

  test('that has paid an order is refused with its reason, once in each spelling, and another one completes', async () => {
    const [first, second] = [await agent.confirmedOrder(lp), await thief.confirmedOrder(lp)];
    const hash = 'sandbox-paid-another';
    await expectStatus(200, agent.settle(first, hash));
    await eventuallyEquals(() => agent.statusOf(first), 'completed');
    await expectStatus(200, thief.settle(second, hash.toUpperCase()));
    await eventuallyEquals(() => thief.statusOf(second), 'confirmed');
    expect(await shownReason(second)).toBe(
      'This transaction has paid something else, and one transaction pays one order',
    );
    for (const spelt of [hash, `0x${hash}`]) expect((await thief.settle(second, spelt)).status).toBe(409);
    // The late retries were not verified again.
    expect(await corridor.lastTransition(second)).toMatchObject({ seq: 6, status: 'confirmed' });
    await expectStatus(200, thief.settle(second, await payment(thief, second)));
    await eventuallyEquals(() => thief.statusOf(second), 'completed');
  });

  test('of a payout settles no order, and the hash of a settlement is no payout', async () => {
    const [one, two] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
    const [used, paidOut] = [await payment(agent, one), await payment(agent, two)];
    await expectStatus(200, agent.settle(one, used));
    await eventuallyEquals(() => agent.statusOf(one), 'completed');
    const withdrawals: number[] = [];
    for (const amount of [1, 2]) {
      const terms = { amount, asset: 'usdt', chain: 'trx', address: lp.address };
      const made = await lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, terms);
      withdrawals.push((await expectStatus(201, Promise.resolve(made))).id);
    }
    const noted = (i: number, tx_hash: string) =>
      corridor.admin('POST', `/api/admin/withdrawals/${withdrawals[i]}/paid`, { tx_hash });
    expect(await noted(0, used.toUpperCase())).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/one transaction pays one order/) },
    });
    await expectStatus(200, noted(0, paidOut));
    await expectStatus(200, noted(0, `0x${paidOut}`));
    expect((await noted(1, `0x${paidOut}`)).status).toBe(409);
    await expectStatus(200, agent.settle(two, paidOut));
    await eventuallyEquals(() => agent.statusOf(two), 'confirmed');
    expect(await shownReason(two)).toMatch(/^This transaction has paid something else/);
  });
});

/** An order whose agent settled it with a transaction that is not on the chain. */
const mistyped = async (): Promise<number> => {
  const id = await agent.confirmedOrder(lp);
  await expectStatus(200, agent.settle(id, `sandbox-missing-${id}`));
  return id;
};

describe('a forged verdict', () => {
  test('changes nothing if a signal carries it', async () => {
    const id = await mistyped();
    const before = await corridor.rowOf(id);
    const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
    try {
      const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
      const { version } = before;
      for (const command of [
        { trigger: 'verified', version, note: null },
        { trigger: 'invalid', version, reason: reasonOf('other_address') },
      ]) {
        const envelope = { requestId: randomUUID(), actor: 'service', command };
        await workflow.getHandle(orderWorkflowId(id)).signal('confirm', envelope);
      }
      // A later command is carried out after both.
      await expectStatus(200, corridor.admin('POST', `/api/admin/orders/${id}/freeze`, { reason: 'look' }));
      expect(await corridor.lastTransition(id)).toMatchObject({ cause: 'freeze' });
      expect((await corridor.rowOf(id)).version).toBe(version + 1);
    } finally {
      await connection.close();
    }
  });

  test.each(['complete', 'rejectTransaction', 'openDispute'] as const)(
    'is not carried out by %s',
    async (step) => {
      const id = await mistyped();
      const before = await corridor.rowOf(id);
      const { version, status } = before;
      const trigger = step === 'complete' ? 'verified' : 'invalid';
      // The first rejections lead back to `confirmed`, the third to a dispute.
      if (step === 'openDispute')
        await corridor.db.query('test-rejections', 'update orders set rejections = 2 where id = $1', [id]);
      const command = { trigger, version, note: null, reason: reasonOf('other_address') } as Command;
      const report = await takeStep(corridor.db, step, id, command);
      expect(report).toMatchObject({ result: 'no_verdict', state: { version, status } });
      expect(await corridor.rowOf(id)).toEqual(before);
    },
  );

  test.each<[string, { version: number; chain: string; hash: string }]>([
    ['an earlier version of the order', { version: -1, chain: 'trx', hash: '' }],
    ['a later version of the order', { version: 1, chain: 'trx', hash: '' }],
    ['another chain', { version: 0, chain: 'eth', hash: '' }],
    ['another transaction', { version: 0, chain: 'trx', hash: 'other' }],
  ])('on %s does not complete it, even with the transaction reserved', async (_what, wrong) => {
    const id = await agent.confirmedOrder(lp);
    const hash = await payment(agent, id, { final_after_ms: 600_000 });
    await expectStatus(200, agent.settle(id, hash));
    const { version } = await corridor.rowOf(id);
    const given = [id, version + wrong.version, wrong.chain, wrong.hash + hash];
    await corridor.db.query(
      'test-wrong-verdict',
      `with verdict as (
         insert into payment_verdict (order_id, version, chain, tx_hash, kind) values ($1, $2, $3, $4, 'verified')
         on conflict (order_id, version) do update
         set kind = excluded.kind, chain = excluded.chain, tx_hash = excluded.tx_hash
       )
       insert into chain_transaction (chain, tx_hash, order_id) values ($3, $4, $1)`,
      given,
    );
    const command = { trigger: 'verified', version, note: null } as const;
    const report = await takeStep(corridor.db, 'complete', id, command);
    expect(report).toMatchObject({ result: 'no_verdict' });
    await corridor.db.query('test-no-verdict', 'delete from payment_verdict where order_id = $1', [id]);
    await corridor.db.query('test-free', 'delete from chain_transaction where order_id = $1', [id]);
    await finalise(hash);
    await eventuallyEquals(() => agent.statusOf(id), 'completed');
  });
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));
