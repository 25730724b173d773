import { afterAll, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { waitForOlderTransactions } from '../support/older-transactions.ts';
import type { Agent, TestLp } from '../support/parties.ts';
import { fileOf, HEADS, upload } from '../support/receipts.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { stateOf, takeStep } from '../support/take-step.ts';

/** An agent key is deleted while it has open orders. */
const corridor = await startCorridor({ env: { RELEASE_GRACE: '1ms', REVOCATION_GRACE: '20m' } });
afterAll(async () => {
  await expectSoundWhenStill(corridor);
  await corridor.stop();
});

const PNG = fileOf(HEADS['image/png'], 500);
const REASON = 'The agent’s key was revoked before any fiat was sent';
const revoke = ({ keyId }: Agent) =>
  expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${keyId}`));
const statusIs = (id: number, status: string) =>
  eventuallyEquals(async () => (await corridor.rowOf(id)).status, status);
/** A failed claim would count against the LP's rank. Waits until the order's last event is counted. */
async function failedClaims(lp: TestLp, id: number): Promise<number> {
  const counted = `select from feed_cursor where reader = 'lp-statistics'
    and (xid, order_id, seq) >= (select xid, order_id, seq from order_event where order_id = $1 order by seq desc limit 1)`;
  await eventually(async () => (await corridor.db.query('statistics-read', counted, [id])).length > 0);
  const sql = 'select coalesce(sum(recent_failed_claims), 0)::int as n from lp_statistics where lp_id = $1';
  const [row] = await corridor.db.query<{ n: number }>('failed-claims', sql, [lp.id]);
  return row?.n ?? 0;
}
const revokedOrders = async ({ keyId }: Agent): Promise<number[]> => {
  const path = `/api/admin/orders?revoked_agent=true&agent_key_id=${keyId}`;
  const { orders } = await expectStatus(200, corridor.admin('GET', path));
  return orders.map(({ id }: { id: number }) => id);
};
const standing = async (lp: TestLp) => {
  const { lp: shown } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/dashboard`));
  return { locked: shown.collateral.locked, strikes: shown.strikes };
};
const GRACE =
  'The agent’s key was revoked. If you have sent the fiat, report it or upload a receipt before the deadline. Otherwise do not send it: the order ends without a strike';
/** The deadline of a stage passes: here, that of the grace after a revocation. */
const expire = (lp: TestLp, id: number) => expectStatus(200, lp.expireNow(id));
/** Waits until the LP of a claimed order has the grace. */
const graceOf = (id: number) =>
  eventually(async () => {
    const shown = await corridor.rowOf(id);
    return shown.status === 'claimed' && shown.status_reason === GRACE && shown;
  });
const UNHARMED = { locked: 0, strikes: 0 };
const anAgentAndLp = async () => [await corridor.newAgent(), await corridor.newLp()] as const;

describe('the deletion of an agent key', () => {
  test('cancels an unclaimed order, which no LP can claim in the meantime', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await agent.newOrder();
    await corridor.stopWorker();
    await revoke(agent);
    // Sent to the workflow before its cancellation: the row is still open.
    const late = lp.claim(id);
    await corridor.startWorker();
    expect((await late).status).not.toBe(200);
    await statusIs(id, 'cancelled');
    expect(await lp.claim(id)).toMatchObject({ status: 409, body: { error: 'Order not claimable' } });
    expect(await corridor.lastTransition(id)).toMatchObject({
      ...{ from_status: 'matched', status: 'cancelled', actor: 'service', cause: 'revoke', reason: REASON },
    });
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('ends a claimed order without a strike, and its LP can read why', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await revoke(agent);
    await graceOf(id);
    await expire(lp, id);
    await statusIs(id, 'cancelled');
    expect(await corridor.rowOf(id)).toMatchObject({ status_reason: REASON, lp_id: lp.id });
    expect(await standing(lp)).toEqual(UNHARMED);
    const { transitions } = await expectStatus(
      200,
      lp.call('GET', `/api/lp/${lp.key}/orders/${id}/timeline`),
    );
    expect(transitions.at(-1)).toMatchObject({ status: 'cancelled', reason: REASON });
    expect((await lp.fiatSent(id)).status).toBe(403);
    expect(await failedClaims(lp, id)).toBe(0);
  });

  test('gives the LP of a claimed order time to report what it has paid, with the reason', async () => {
    const [agent, lp] = await anAgentAndLp();
    const [paid, proven] = [await agent.newOrder(), await agent.newOrder()];
    for (const id of [paid, proven]) await expectStatus(200, lp.claim(id));
    const changes = `/api/lp/${lp.key}/orders/changes`;
    const { cursor } = await expectStatus(200, lp.call('GET', changes));
    const revokedAt = Date.now();
    await revoke(agent);
    for (const id of [paid, proven]) {
      const { timeout_at } = await graceOf(id);
      const grace = Date.parse(timeout_at) - revokedAt;
      expect(grace).toBeGreaterThanOrEqual(corridor.config.revocationGrace);
      expect(grace).toBeLessThan(corridor.config.revocationGrace + 60_000);
    }
    await waitForOlderTransactions(corridor.db);
    const read = await expectStatus(200, lp.call('GET', `${changes}?cursor=${cursor}`));
    for (const id of [paid, proven])
      expect(read.changes).toContainEqual(
        expect.objectContaining({
          type: 'order.updated',
          status_reason_code: 'key_revoked_after_claim',
          order: expect.objectContaining({ id, status: 'claimed', status_reason: GRACE }),
        }),
      );

    await expectStatus(200, lp.fiatSent(paid));
    expect((await upload(lp, proven, PNG)).status).toBe(201);
    for (const id of [paid, proven]) {
      await expire(lp, id);
      await statusIs(id, 'disputed');
      await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled' }));
    }
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('grants that time once, and leaves what an admin extends', async () => {
    const [agent, lp] = await anAgentAndLp();
    const [id, witness] = [await agent.newOrder(), await agent.newOrder()];
    await expectStatus(200, lp.claim(id));
    await revoke(agent);
    await statusIs(witness, 'cancelled');
    const { timeout_at } = await graceOf(id);
    expect((await takeStep(corridor.db, 'startRevocationGrace', id, { trigger: 'revoke' })).result).toBe(
      'wrong_state',
    );
    expect((await corridor.rowOf(id)).timeout_at).toBe(timeout_at);
    await expectStatus(200, corridor.adminDoes('extend', id, { until: '2036-01-01T00:00:00.000Z' }));
    await corridor.stopWorker();
    await corridor.startWorker();
    // The new worker has looked for orders of revoked agents.
    const later = await corridor.newAgent();
    const seen = await later.newOrder();
    await revoke(later);
    await statusIs(seen, 'cancelled');
    expect(await corridor.rowOf(id)).toMatchObject({
      status: 'claimed',
      timeout_at: '2036-01-01T00:00:00.000Z',
    });
    await expire(lp, id);
    await statusIs(id, 'cancelled');
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('lets the LP of a claimed order give it back at once, which counts against nobody', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await revoke(agent);
    await graceOf(id);
    expect((await lp.release(id)).body).toMatchObject({ status: 'cancelled' });
    expect((await lp.release(id)).body).toMatchObject({ status: 'cancelled' });
    expect(await standing(lp)).toEqual(UNHARMED);
    expect(await failedClaims(lp, id)).toBe(0);
    // The LP still owns it, and reads it once.
    const { orders } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/orders`));
    expect(orders.map((order: { id: number }) => order.id)).toEqual([id]);
  });

  test('ends an order without a failed claim even if two claims of it had failed before', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await agent.newOrder();
    for (const failing of [await corridor.newLp(), await corridor.newLp()]) {
      await expectStatus(200, failing.claim(id));
      await expire(failing, id);
    }
    await expectStatus(200, lp.claim(id));
    const failed = await corridor.db.query('t-failed', 'select reoffers from orders where id = $1', [id]);
    expect(failed).toEqual([{ reoffers: 2 }]);
    await revoke(agent);
    await graceOf(id);
    await expire(lp, id);
    await statusIs(id, 'cancelled');
    expect(await corridor.rowOf(id)).toMatchObject({
      lp_id: lp.id,
      status_reason: expect.stringContaining('revoked'),
    });
    expect(await standing(lp)).toEqual(UNHARMED);
    expect(await failedClaims(lp, id)).toBe(0);
  });

  test('leaves orders whose fiat is sent or may be on its way to an admin', async () => {
    const [agent, lp] = await anAgentAndLp();
    const paidOut = await agent.newOrder();
    await expectStatus(200, lp.claim(paidOut));
    await expectStatus(200, lp.fiatSent(paidOut));
    const [confirmed, settled] = [await agent.confirmedOrder(lp), await agent.confirmedOrder(lp)];
    const hash = await corridor.payment(agent, settled);
    await expectStatus(200, agent.settle(settled, hash));
    const withReceipt = await agent.newOrder();
    await expectStatus(200, lp.claim(withReceipt));
    expect((await upload(lp, withReceipt, PNG)).status).toBe(201);
    const witness = await agent.newOrder();

    await revoke(agent);
    await statusIs(witness, 'cancelled');
    await statusIs(settled, 'completed');
    expect(await revokedOrders(agent)).toEqual([withReceipt, confirmed, paidOut]);
    const { waiting_for_admin } = await expectStatus(200, corridor.admin('GET', '/api/admin/overview'));
    expect(waiting_for_admin.revoked_agent_orders).toBe(3);

    // A receipt that arrives after the job's query stops the step as well.
    expect((await graceStep(withReceipt)).result).toBe('wrong_state');

    // The orders continue: the LP reports its fiat, and the admin ends each of them.
    await expectStatus(200, lp.fiatSent(withReceipt));
    for (const id of [withReceipt, confirmed, paidOut]) {
      await expire(lp, id);
      await statusIs(id, 'disputed');
      await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled' }));
    }
    expect(await revokedOrders(agent)).toEqual([]);
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('leaves an order with a receipt to an admin if its LP does nothing more', async () => {
    const [agent, lp] = await anAgentAndLp();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    expect((await upload(lp, id, PNG)).status).toBe(201);
    await revoke(agent);
    expect((await lp.release(id)).status).toBe(409);
    await expire(lp, id);
    await statusIs(id, 'disputed');
    await expectStatus(200, corridor.adminDoes('resolve', id, { outcome: 'cancelled' }));
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('leaves a frozen order to an admin', async () => {
    const [agent, lp] = await anAgentAndLp();
    const [id, witness] = [await agent.newOrder(), await agent.newOrder()];
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, corridor.adminDoes('freeze', id));
    await revoke(agent);
    await statusIs(witness, 'cancelled');
    expect(await revokedOrders(agent)).toEqual([id]);
    expect(await corridor.rowOf(id)).toMatchObject({ status: 'claimed', timeout_at: null });
    await expectStatus(200, corridor.adminDoes('unfreeze', id));
    await graceOf(id);
    await expire(lp, id);
    await statusIs(id, 'cancelled');
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('refuses concurrent payments, or ends their orders', async () => {
    const agent = await corridor.newAgent();
    const answers = await Promise.all([
      ...Array.from({ length: 10 }, (_, i) => agent.pay({}, i % 2 ? { 'idempotency-key': `k${i}` } : {})),
      revoke(agent).then(() => agent.pay()),
    ]);
    for (const { status } of answers) expect([201, 403]).toContain(status);
    expect(answers.at(-1)?.status).toBe(403);
    // Orders that were created just before the deletion end.
    await eventually(async () => (await revokedOrders(agent)).length === 0);
  });

  test('stays in effect after a restart of every process, and when it is repeated', async () => {
    const [agent, lp] = await anAgentAndLp();
    const [open, claimed] = [await agent.newOrder(), await agent.newOrder()];
    await expectStatus(200, lp.claim(claimed));
    await corridor.stopWorker();
    await Promise.all([revoke(agent), revoke(agent), revoke(agent)]);
    await corridor.stopApi();
    await corridor.startApi();
    await corridor.startWorker();
    await statusIs(open, 'cancelled');
    await graceOf(claimed);
    await expire(lp, claimed);
    await statusIs(claimed, 'cancelled');
    expect(await standing(lp)).toEqual(UNHARMED);
  });

  test('races with claims and with reports of fiat: each order ends in one consistent state', async () => {
    const [agent, lp] = await anAgentAndLp();
    const claimed = await Promise.all(Array.from({ length: 6 }, () => agent.newOrder()));
    for (const id of claimed) await expectStatus(200, lp.claim(id));
    const open = await Promise.all(Array.from({ length: 6 }, () => agent.newOrder()));
    const sentLate = async (id: number) => {
      // Until the order is cancelled, or its fiat is sent.
      for (;;) {
        const { status } = await lp.fiatSent(id);
        if (status === 200 || status === 403) return status;
      }
    };
    const [, ...answers] = await Promise.all([
      revoke(agent),
      ...claimed.map(async (id, i) => {
        if (i % 2 === 0) return sentLate(id);
        await graceOf(id);
        const [status] = await Promise.all([
          sentLate(id),
          lp.call('POST', `/sandbox/orders/${id}/advance`, {}),
        ]);
        return status;
      }),
      ...open.map((id) => lp.claim(id).then(({ status }) => status)),
    ]);
    const sent = claimed.filter((_, i) => answers[i] === 200);
    // Claims that came before the revocation.
    const won = open.filter((_, i) => answers[claimed.length + i] === 200);
    await eventually(async () => (await revokedOrders(agent)).length === sent.length + won.length);
    for (const id of claimed)
      expect((await corridor.rowOf(id)).status).toBe(sent.includes(id) ? 'fiat_sent' : 'cancelled');
    for (const id of open)
      expect((await corridor.rowOf(id)).status).toBe(won.includes(id) ? 'claimed' : 'cancelled');
    expect(await standing(lp)).toEqual({ locked: (sent.length + won.length) * 10, strikes: 0 });
  });
});

const graceStep = (id: number) => takeStep(corridor.db, 'startRevocationGrace', id, { trigger: 'revoke' });

test('a forged revocation of a live key’s order changes nothing', async () => {
  const [agent, lp] = await anAgentAndLp();
  const [open, claimed] = [await agent.newOrder(), await agent.newOrder()];
  await expectStatus(200, lp.claim(claimed));
  await corridor.stopWorker();
  expect((await graceStep(claimed)).result).toBe('wrong_state');
  const cancelled = await takeStep(corridor.db, 'cancelRevoked', open, { trigger: 'revoke' });
  expect(cancelled.result).toBe('wrong_state');
  const { version } = await stateOf(corridor.db, claimed);
  await takeStep(corridor.db, 'expireDeadlineNow', claimed, { trigger: 'expireNow', version }, 'admin');
  const ended = { trigger: 'deadline', version: version + 1, found: 'revoked' } as const;
  expect((await takeStep(corridor.db, 'cancelRevoked', claimed, ended)).result).toBe('wrong_state');
  expect([(await corridor.rowOf(open)).status, (await corridor.rowOf(claimed)).status]).toEqual([
    'matched',
    'claimed',
  ]);
  await corridor.startWorker();
  await corridor.shared.gateway.refresh(claimed);
});

test('a forged end of a revoked order changes nothing before its deadline, and nothing if it has a receipt', async () => {
  const [agent, lp] = await anAgentAndLp();
  const [early, paid] = [await agent.newOrder(), await agent.newOrder()];
  for (const id of [early, paid]) await expectStatus(200, lp.claim(id));
  expect((await upload(lp, paid, PNG)).status).toBe(201);
  await revoke(agent);
  await graceOf(early);
  await corridor.stopWorker();
  const end = async (id: number) => {
    const { version } = await stateOf(corridor.db, id);
    const command = { trigger: 'deadline', version, found: 'revoked' } as const;
    return (await takeStep(corridor.db, 'cancelRevoked', id, command)).result;
  };
  expect(await end(early)).toBe('not_yet');
  const { version } = await stateOf(corridor.db, paid);
  await takeStep(corridor.db, 'expireDeadlineNow', paid, { trigger: 'expireNow', version }, 'admin');
  expect(await end(paid)).toBe('receipt');
  expect([(await corridor.rowOf(early)).status, (await corridor.rowOf(paid)).status]).toEqual([
    'claimed',
    'claimed',
  ]);
  await corridor.startWorker();
  for (const id of [early, paid]) await corridor.shared.gateway.refresh(id);
});

test('a claim that a worker carries out after the deletion is refused by the step', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await agent.newOrder();
  await corridor.stopWorker();
  await revoke(agent);
  const command = { trigger: 'claim', lpId: lp.id, validUntil: 'infinity' } as const;
  const { result } = await takeStep(corridor.db, 'claim', id, command);
  expect(result).toBe('order_not_claimable');
  await corridor.startWorker();
  await statusIs(id, 'cancelled');
});

test('an order whose key has expired cannot be claimed until an admin prolongs the key', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await agent.newOrder();
  const expires = (at: string) =>
    corridor.db.query('t-expire', `update agent_key set expires_at = ${at} where id = $1`, [agent.keyId]);
  await expires('now()');
  // The agent could neither confirm nor settle, and the LP would have paid.
  const refused = await lp.claim(id);
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'order_not_claimable']);
  await expires("now() + interval '1 hour'");
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.release(id));
});

test('auto-claim leaves an order whose key has expired, and claims it when an admin prolongs the key', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await agent.newOrder();
  const sql = 'update agent_key set expires_at = now() where id = $1';
  await corridor.db.query('t-expired', sql, [agent.keyId]);
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
  const offered = 'select from lp_auto_claim where lp_id = $1 and offered_at > offers_due_at';
  await eventually(async () => (await corridor.db.query('t-offered', offered, [lp.id])).length > 0);
  expect((await corridor.rowOf(id)).status).toBe('matched');

  const expires_at = new Date(Date.now() + 3_600_000).toISOString();
  await expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${agent.keyId}`, { expires_at }));
  await statusIs(id, 'claimed');
  // The other tests' orders are not for this LP.
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: false }));
  await expectStatus(200, lp.release(id));
});

test('the revoked agent can move none of its orders', async () => {
  const [agent, lp] = await anAgentAndLp();
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.fiatSent(id));
  await revoke(agent);
  expect((await agent.confirm(id)).status).toBe(403);
  expect((await corridor.rowOf(id)).status).toBe('fiat_sent');
});
