import { afterEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { closeIncident as moveAndClose } from '../../src/orders/steps/close-incident.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { failingAfter } from '../support/failing-database.ts';
import {
  closeIncident,
  closeIncidents,
  incidentsIn,
  openIncident,
  INCIDENT_REASON as REASON,
} from '../support/incidents.ts';
import { offersAreMade } from '../support/offers-made.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** An admin says that a currency, a method or a chain is out of order. */
const corridor = await useCorridor();
const { admin } = corridor;
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });
const nairaLp = await corridor.newLp({ currency: 'NGN', rate: 1_500 });
afterEach(() => closeIncidents(admin));

const NGN = { currency: 'NGN', amount: 15_000 };
const PAUSED = { status: 503, body: { error: expect.stringContaining(REASON) } };
const timelineOf = (id: number) => expectStatus(200, agent.call('GET', `/api/v1/orders/${id}/timeline`));

describe('the scope of an incident', () => {
  test.each([
    ['a currency, in any spelling', { currency: 'kes' }, [503, 201]],
    ['a method', { currency: 'KES', method: 'Mobile_Money ' }, [503, 201]],
    ['another method', { currency: 'KES', method: 'bank_transfer' }, [201, 201]],
    ['a chain', { chain: 'TRX' }, [503, 503]],
    ['another chain', { chain: 'eth' }, [201, 201]],
  ])('is %s', async (_what, scope, expected) => {
    const open = [await agent.newOrder(), await agent.newOrder(NGN)] as const;
    await openIncident(admin, scope);
    const paid = [await agent.pay(), await agent.pay(NGN)];
    expect(paid.map(({ status }) => status)).toEqual(expected);
    const claimed = [await lp.claim(open[0]), await nairaLp.claim(open[1])];
    expect(claimed.map(({ status }) => status)).toEqual(
      expected.map((status) => (status === 201 ? 200 : status)),
    );
    if (expected[0] === 503) {
      expect(paid[0]).toMatchObject(PAUSED);
      expect(claimed[0]).toMatchObject(PAUSED);
      expect(paid[0]?.headers.get('x-error-code')).toBe('paused');
    }
  });

  test.each([
    [{}, 'currency', 'name a currency or a chain, and not both'],
    [{ currency: 'KES', chain: 'trx' }, 'currency', 'name a currency or a chain, and not both'],
    [
      { chain: 'trx', method: 'mobile_money' },
      'method',
      'must be left out without a currency: a chain has no methods',
    ],
    [
      { currency: 'kse' },
      'currency',
      'KSE has no corridor, no terms of an approved LP and no live order: did you mean KES?',
    ],
    [
      { currency: 'KES', method: 'mobile_mony' },
      'method',
      'must be one of mobile_money, bank_transfer, till, paybill: did you mean mobile_money?',
    ],
    [
      { currency: 'KES', method: 'mobile-money' },
      'method',
      'must be one of mobile_money, bank_transfer, till, paybill: did you mean mobile_money?',
    ],
    [{ chain: 'tron' }, 'chain', expect.stringContaining('trx')],
    [{ currency: 'KES', reason: 'x'.repeat(301) }, 'reason', expect.any(String)],
  ])('cannot be %j', async (body, field, message) => {
    const before = await incidentsIn(admin);
    const { status, body: answer } = await admin('POST', '/api/admin/incidents', { reason: REASON, ...body });
    expect([status, answer.error?.fieldErrors]).toEqual([400, { [field]: [message] }]);
    expect(await incidentsIn(admin)).toEqual(before);
  });

  test('a currency without a corridor has no methods', async () => {
    await corridor.newLp({ currency: 'JPY', rate: 150 });
    const body = { currency: 'JPY', method: 'mobile_money', reason: REASON };
    expect(await admin('POST', '/api/admin/incidents', body)).toMatchObject({
      ...{
        status: 400,
        body: { error: { fieldErrors: { method: ['must be left out: JPY has no corridor'] } } },
      },
    });
    await openIncident(admin, { currency: 'jpy' });
    expect(await agent.pay({ currency: 'JPY', amount: 1_500 })).toMatchObject(PAUSED);
  });
});

test('an open incident is one for each scope, and each overlaps the others', async () => {
  const id = await openIncident(admin, { currency: 'KES' });
  const again = { currency: 'KES', reason: 'It is worse' };
  const repeated = await expectStatus(201, admin('POST', '/api/admin/incidents', again));
  const other = await openIncident(admin, { currency: 'KES', method: 'mobile_money' });
  expect(repeated).toMatchObject({ id, reason: 'It is worse', opened_by: 'admin:root', closed_at: null });
  expect((await incidentsIn(admin)).slice(0, 2).map((one: { id: number }) => one.id)).toEqual([id, other]);
  await expectStatus(200, closeIncident(admin, id));
  expect((await closeIncident(admin, id)).status).toBe(404);
  expect(await agent.pay()).toMatchObject(PAUSED);
  expect(await expectStatus(200, closeIncident(admin, other))).toMatchObject({ closed_by: 'admin:root' });
  expect((await agent.pay()).status).toBe(201);
});

test('an incident whose closing has failed in between shows it, until it is closed or opened again', async () => {
  const id = await openIncident(admin, { currency: 'KES' });
  const shown = async () => (await incidentsIn(admin)).find((one: { id: number }) => one.id === id);
  expect(await shown()).toMatchObject({ closing_at: null, closed_at: null });
  const failClosing = () =>
    expect(
      moveAndClose(failingAfter(corridor.db, 'incident-move-deadlines', 0), id, 'admin:root'),
    ).rejects.toThrow('The connection is lost');
  await failClosing();
  expect(await shown()).toMatchObject({ closing_at: expect.any(String), closed_at: null });
  const { incidents } = await expectStatus(200, admin('GET', '/api/admin/overview'));
  expect(incidents).toMatchObject([{ id, closing_at: expect.any(String) }]);
  await openIncident(admin, { currency: 'KES' });
  expect(await shown()).toMatchObject({ closing_at: null, closed_at: null });
  await failClosing();
  await expectStatus(200, closeIncident(admin, id));
  expect(await shown()).toMatchObject({ closing_at: expect.any(String), closed_at: expect.any(String) });
});

test('claimed orders continue, and auto-claim tries the open ones again when it is closed', async () => {
  const eager = await corridor.newLp({ currency: 'GHS', rate: 12 });
  const ghs = { currency: 'GHS', amount: 120 };
  const [open, claimed] = [await agent.newOrder(ghs), await agent.newOrder(ghs)];
  await expectStatus(200, eager.claim(claimed));
  const id = await openIncident(admin, { currency: 'GHS' });
  await expectStatus(200, eager.call('POST', `/api/lp/${eager.key}/auto-claim`, { enabled: true }));
  await offersAreMade(corridor.db, eager.id);
  expect(await agent.statusOf(open)).toBe('matched');
  await expectStatus(200, eager.fiatSent(claimed));
  await expectStatus(200, agent.confirm(claimed));
  await expectStatus(200, agent.settle(claimed, await corridor.payment(agent, claimed)));
  await eventuallyEquals(() => agent.statusOf(claimed), 'completed');
  await expectStatus(200, closeIncident(admin, id));
  await eventuallyEquals(() => agent.statusOf(open), 'claimed');
});

test('everybody who may see an order sees that its clock stands still, and why', async () => {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  const before = await timelineOf(id);
  expect(before).toMatchObject({ incidents: [], next: { stopped: null } });
  const incident = await openIncident(admin, { currency: 'KES', method: 'mobile_money' });
  const { opened_at } = (await incidentsIn(admin))[0];
  const scope = { currency: 'KES', method: 'mobile_money', chain: null, reason: REASON, opened_at };
  const during = {
    transitions: before.transitions,
    incidents: [{ ...scope, closed_at: null }],
    next: { ...before.next, stopped: { since: opened_at, reason: REASON } },
  };
  expect(await timelineOf(id)).toMatchObject(during);
  expect(await expectStatus(200, admin('GET', `/api/admin/orders/${id}/timeline`))).toMatchObject(during);
  const path = `/api/lp/${lp.key}/orders/${id}/timeline`;
  expect(await expectStatus(200, lp.call('GET', path))).toMatchObject(during);
  expect(await expectStatus(200, admin('GET', '/api/admin/overview'))).toMatchObject({
    incidents: [{ id: incident, reason: REASON }],
  });
  const { body: ready } = await eventually(async () => {
    const answer = await corridor.anyone('GET', '/readyz');
    return answer.body.incidents?.length === 1 && answer;
  });
  // Everybody may read it, so it has no reason.
  expect(ready.incidents).toEqual([{ currency: 'KES', method: 'mobile_money', chain: null, opened_at }]);

  // The agent moves the order to a stage that needs only the chain.
  await expectStatus(200, lp.fiatSent(id));
  await expectStatus(200, agent.confirm(id));
  expect(await timelineOf(id)).toMatchObject({ incidents: during.incidents, next: { stopped: null } });
  expect(await expectStatus(200, closeIncident(admin, incident))).toMatchObject({ id: incident });
  const { incidents } = await timelineOf(id);
  expect(incidents).toEqual([{ ...scope, closed_at: expect.any(String) }]);
});

test('available shows no method that an incident stops', async () => {
  const available = async (currency: string) => {
    const { corridors } = await expectStatus(200, agent.call('GET', '/api/v1/corridors'));
    const one = corridors.find((known: { currency: string }) => known.currency === currency);
    return one.methods
      .filter((method: { available: boolean }) => method.available)
      .map(({ method }: { method: string }) => method);
  };
  await eventually(async () => (await available('NGN')).includes('mobile_money'));
  await openIncident(admin, { currency: 'NGN' });
  await eventuallyEquals(async () => (await available('NGN')).length, 0);
});
