import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  confirm,
  confirmedOrder,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  pay,
  payment,
  release,
  rowOf,
  settle,
  type TestLp,
} from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { takeStep } from '../support/take-step.ts';

/** An agent key is deleted while it has open orders. */
let corridor: TestCorridor;
beforeAll(async () => {
  corridor = await startCorridor({ env: { RELEASE_GRACE: '1ms' } });
});
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const REASON = 'The agent’s key was revoked before any fiat was sent';
const revoke = ({ keyId }: Agent) =>
  expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${keyId}`));
const row = (id: number) => rowOf(corridor.admin, id);
const statusIs = (id: number, status: string) => eventuallyEquals(async () => (await row(id)).status, status);
const revokedOrders = async ({ keyId }: Agent): Promise<number[]> => {
  const path = `/api/admin/orders?revoked_agent=true&agent_key_id=${keyId}`;
  const { orders } = await expectStatus(200, corridor.admin('GET', path));
  return orders.map(({ id }: { id: number }) => id);
};
const standing = async (lp: TestLp) => {
  const { lp: shown } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
  return { locked: shown.collateral.locked, strikes: shown.strikes };
};
const UNHARMED = { locked: 0, strikes: 0 };
const anAgentAndLp = async () => [await newAgent(corridor), await newLp(corridor)] as const;

describe('the deletion of an agent key', () => {
  test('cancels an unclaimed order, which no LP can claim in the meantime', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await newOrder(agent);
    await corridor.stopWorker();
    await revoke(agent);
    // Sent to the workflow before its cancellation: the row is still open.
    const late = claim(lp, id);
    await corridor.startWorker();
    expect((await late).status).not.toBe(200);
    await statusIs(id, 'cancelled');
    expect(await claim(lp, id)).toMatchObject({ status: 409, body: { error: 'Order not claimable' } });
    expect(await lastTransition(corridor.admin, id)).toMatchObject({
      ...{ from_status: 'matched', status: 'cancelled', actor: 'service', cause: 'revoke', reason: REASON },
    });
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('ends a claimed order without a strike, and its LP can read why', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await revoke(agent);
    await statusIs(id, 'cancelled');
    expect(await row(id)).toMatchObject({ status_reason: REASON, lp_id: lp.id });
    expect(await standing(lp)).toEqual(UNHARMED);
    const { transitions } = await expectStatus(
      200,
      lp.call('GET', `/api/lp/${lp.key}/orders/${id}/timeline`),
    );
    expect(transitions.at(-1)).toMatchObject({ status: 'cancelled', reason: REASON });
    expect((await fiatSent(lp, id)).status).toBe(403);
    // A failed claim would count against the LP's rank.
    const failed =
      'select coalesce(sum(recent_failed_claims), 0)::int as n from lp_statistics where lp_id = $1';
    expect(await corridor.db.query('failed-claims', failed, [lp.id])).toEqual([{ n: 0 }]);
  });

  test('leaves orders whose fiat is sent or may be on its way to an admin', async () => {
    const [agent, lp] = await anAgentAndLp();
    const paidOut = await newOrder(agent);
    await expectStatus(200, claim(lp, paidOut));
    await expectStatus(200, fiatSent(lp, paidOut));
    const [confirmed, settled] = [await confirmedOrder(agent, lp), await confirmedOrder(agent, lp)];
    const hash = await payment(corridor, agent, settled);
    await expectStatus(200, settle(agent, settled, hash));
    const withReceipt = await newOrder(agent);
    await expectStatus(200, claim(lp, withReceipt));
    expect((await upload(lp, withReceipt, PNG)).status).toBe(201);
    const witness = await newOrder(agent);

    await revoke(agent);
    await statusIs(witness, 'cancelled');
    await statusIs(settled, 'completed');
    expect(await revokedOrders(agent)).toEqual([withReceipt, confirmed, paidOut]);
    const { waiting_for_admin } = await expectStatus(200, corridor.admin('GET', '/api/admin/overview'));
    expect(waiting_for_admin.revoked_agent_orders).toBe(3);

    // A receipt that arrives after the job's query stops the step as well.
    expect((await revokeStep(withReceipt)).result).toBe('wrong_state');

    // The orders continue: the LP reports its fiat, and the admin ends each of them.
    await expectStatus(200, fiatSent(lp, withReceipt));
    for (const id of [withReceipt, confirmed, paidOut]) {
      await expectStatus(200, lp.call('POST', `/sandbox/orders/${id}/advance`, {}));
      await statusIs(id, 'disputed');
      await expectStatus(200, adminDoes(corridor.admin, 'resolve', id, { outcome: 'cancelled' }));
    }
    expect(await revokedOrders(agent)).toEqual([]);
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('leaves an order with a receipt to an admin if its LP does nothing more', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    expect((await upload(lp, id, PNG)).status).toBe(201);
    await revoke(agent);
    expect((await release(lp, id)).status).toBe(409);
    await expectStatus(200, lp.call('POST', `/sandbox/orders/${id}/advance`, {}));
    await statusIs(id, 'disputed');
    await expectStatus(200, adminDoes(corridor.admin, 'resolve', id, { outcome: 'cancelled' }));
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('leaves a frozen order to an admin', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, adminDoes(corridor.admin, 'freeze', id));
    await revoke(agent);
    expect(await revokedOrders(agent)).toEqual([id]);
    await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', id));
    await statusIs(id, 'cancelled');
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('refuses concurrent payments, or ends their orders', async () => {
    const agent = await newAgent(corridor);
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => pay(agent, {}, i % 2 ? { 'idempotency-key': `k${i}` } : {})),
      revoke(agent).then(() => pay(agent)),
    ]);
    for (const { status } of answers) expect([201, 403]).toContain(status);
    expect(answers.at(-1)?.status).toBe(403);
    // Orders that were created just before the deletion end.
    await eventually(async () => (await revokedOrders(agent)).length === 0);
  });

  test('stays in effect after a restart of every process, and when it is repeated', async () => {
    const [agent, lp] = await anAgentAndLp();
    const [open, claimed] = [await newOrder(agent), await newOrder(agent)];
    await expectStatus(200, claim(lp, claimed));
    await corridor.stopWorker();
    await Promise.all([revoke(agent), revoke(agent), revoke(agent)]);
    await corridor.stopApi();
    await corridor.startApi();
    await corridor.startWorker();
    await statusIs(open, 'cancelled');
    await statusIs(claimed, 'cancelled');
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('races with claims and with reports of fiat: each order ends in one consistent state', async () => {
    const [agent, lp] = await anAgentAndLp();
    const claimed = await Promise.all(Array.from({ length: 6 }, () => newOrder(agent)));
    for (const id of claimed) await expectStatus(200, claim(lp, id));
    const open = await Promise.all(Array.from({ length: 6 }, () => newOrder(agent)));
    const sentLate = async (id: number) => {
      // Until the order is cancelled, or its fiat is sent.
      for (;;) {
        const { status } = await fiatSent(lp, id);
        if (status === 200 || status === 403) return status;
      }
    };
    const [, ...answers] = await Promise.all([
      revoke(agent),
      ...claimed.map((id, i) =>
        eventually(async () => i % 2 === 0 || (await row(id)).status !== 'claimed').then(() => sentLate(id)),
      ),
      ...open.map((id) => claim(lp, id).then(({ status }) => status)),
    ]);
    const sent = claimed.filter((_, i) => answers[i] === 200);
    await eventually(async () => (await revokedOrders(agent)).length === sent.length);
    for (const id of claimed)
      expect((await row(id)).status).toBe(sent.includes(id) ? 'fiat_sent' : 'cancelled');
    for (const id of open) expect((await row(id)).status).toBe('cancelled');
    expect(await standing(lp)).toEqual({ locked: sent.length * 10, strikes: 0 });
  });
});

const revokeStep = (id: number) => takeStep(corridor.db, 'cancelRevoked', id, { trigger: 'revoke' });

test('a forged revocation of a live key’s order changes nothing', async () => {
  const [agent, lp] = await anAgentAndLp();
  const [open, claimed] = [await newOrder(agent), await newOrder(agent)];
  await expectStatus(200, claim(lp, claimed));
  for (const id of [open, claimed]) expect((await revokeStep(id)).result).toBe('wrong_state');
  expect([(await row(open)).status, (await row(claimed)).status]).toEqual(['matched', 'claimed']);
});

test('a claim that a worker carries out after the deletion is refused by the step', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await newOrder(agent);
  await corridor.stopWorker();
  await revoke(agent);
  const command = { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' } as const;
  const { result } = await takeStep(corridor.db, 'claim', id, command);
  expect(result).toBe('order_not_claimable');
  await corridor.startWorker();
  await statusIs(id, 'cancelled');
});

test('the revoked agent can move none of its orders', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  await expectStatus(200, fiatSent(lp, id));
  await revoke(agent);
  expect((await confirm(agent, id)).status).toBe(403);
  expect((await row(id)).status).toBe('fiat_sent');
});
