import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { IncidentScope } from '../../src/domain/incident.ts';
import type { OrderStatus, StepName } from '../../src/domain/order-state.ts';
import { serviceFacts } from '../../src/operations/statistics/service-facts.ts';
import { overdueOrders } from '../../src/operations/upkeep/reconciled-orders.ts';
import { expectedPayment } from '../../src/orders/expected-payment.ts';
import { openIncident } from '../../src/orders/incidents.ts';
import { closeIncident } from '../../src/orders/steps/close-incident.ts';
import { recordHeartbeatAndShiftDeadlines } from '../../src/orders/steps/shift-deadlines.ts';
import { KES, KES_MOBILE, openClocks, STAGE_DAYS, TRX } from '../support/clocks.ts';
import { eventually } from '../support/eventually.ts';
import { failingAfter } from '../support/failing-database.ts';
import { createRandom, seedFrom } from '../support/random.ts';
import { countWaiting } from '../support/waiting-statements.ts';

/** The clocks of orders in incidents, by days. */
const clocks = await openClocks();
afterAll(() => clocks.books.db.close());
afterEach(async () => {
  await clocks.query(`delete from service_heartbeat`);
  for (const { id } of await clocks.query('select id from incident where closed_at is null'))
    await close(Number(id));
});

const open = async (scope: IncidentScope) =>
  (await openIncident(clocks.books.db, scope, 'The network is down', 'admin:root')).id;
const close = (id: number) => closeIncident(clocks.books.db, id, 'admin:root');
const endOutage = async () => {
  await recordHeartbeatAndShiftDeadlines(clocks.books.db, 60_000);
  await clocks.query('delete from service_heartbeat');
};
const events = (id: number) =>
  clocks.query(
    `select cause, actor, status, from_status, reason from order_event where order_id = $1 and cause in ('incident', 'outage') order by seq`,
    [id],
  );
const extend = (id: number, days: number) =>
  clocks.take('extendDeadline', id, {
    trigger: 'extend',
    until: new Date(Date.now() + days * 86_400_000).toISOString(),
  });
const strikes = async (id: number) =>
  (await clocks.query('select from lp_strike where order_id = $1', [id])).length;

/** Each status with a deadline, and the step that the deadline takes. */
const STATUSES: Partial<Record<OrderStatus, StepName>> = {
  matched: 'cancelUnclaimed',
  claimed: 'reofferOrder',
  fiat_sent: 'openDispute',
  confirmed: 'openDispute',
  crypto_verify_pending: 'openDispute',
};
const NGN: IncidentScope = { ...KES, currency: 'NGN' };
const KES_BANK: IncidentScope = { ...KES, method: 'bank' };
const ETH: IncidentScope = { ...TRX, chain: 'eth' };

describe.each([
  [KES, ['matched', 'claimed', 'fiat_sent']],
  [KES_MOBILE, ['matched', 'claimed', 'fiat_sent']],
  [TRX, ['matched', 'confirmed', 'crypto_verify_pending']],
  [NGN, []],
  [KES_BANK, []],
  [ETH, []],
])('an incident of %j', (scope, stopped) => {
  test.each(Object.entries(STATUSES))('in the status %s', async (status, step) => {
    const id = await clocks.orderIn(status as OrderStatus);
    await clocks.pass(400);
    const incident = await open(scope);
    await clocks.pass(5_000);
    const stands = (stopped as string[]).includes(status);
    expect(await clocks.expire(step, id)).toBe(stands ? 'clock_stopped' : 'applied');
    await close(incident);
    // An order whose claim has failed is open again, and the incident of the chain stops that stage.
    if (!stands) return expect((await events(id)).filter((event) => event.status === status)).toEqual([]);
    expect(await clocks.left(id)).toBe(STAGE_DAYS - 400);
    expect(await events(id)).toEqual([
      {
        ...{ cause: 'incident', actor: 'service', status, from_status: status },
        reason: expect.stringMatching(
          /^Incident of \S+( by mobile_money)? from .+ to .+ UTC: The network is down. The deadline moved by the time lost$/,
        ),
      },
    ]);
    // The public claim deadline is that of the stage.
    const both = 'select from orders where id = $1 and expires_at = timeout_at';
    if (status === 'matched') expect(await clocks.query(both, [id])).toHaveLength(1);
    // Then it goes on, and the deadline expires.
    await clocks.pass(STAGE_DAYS - 400);
    expect(await clocks.expire(step, id)).toBe('applied');
    expect(await strikes(id)).toBe(status === 'claimed' ? 1 : 0);
  });
});

describe('a clock that stands still', () => {
  test('is not started again for a deadline that had passed before the incident', async () => {
    const [id, other] = [await clocks.orderIn('claimed'), await clocks.orderIn('confirmed')];
    await clocks.pass(STAGE_DAYS);
    const incident = await open(KES);
    await clocks.pass(10);
    expect(await clocks.expire('reofferOrder', id)).toBe('applied');
    expect(await strikes(id)).toBe(1);
    await close(await open(TRX));
    await close(incident);
    expect(await events(other)).toEqual([]);
  });

  test('can be given more time, and an extension never takes any', async () => {
    const id = await clocks.orderIn('claimed');
    const incident = await open(KES);
    await clocks.pass(10);
    // Later than the deadline in the row, but less than what the LP has left.
    expect(await extend(id, STAGE_DAYS - 5)).toBe('not_an_extension');
    expect(await extend(id, STAGE_DAYS + 5)).toBe('applied');
    await clocks.pass(10);
    await close(incident);
    expect(await clocks.left(id)).toBe(STAGE_DAYS + 5);
  });

  test('is not overdue, for the reconciler and for the alert', async () => {
    const id = await clocks.orderIn('claimed');
    await clocks.pass(STAGE_DAYS - 10);
    const isOverdue = async () =>
      (await overdueOrders(clocks.books.db, '3 minutes')).some((order) => order.id === id);
    const incident = await open(KES);
    await clocks.pass(100);
    expect(await isOverdue()).toBe(false);
    const others = (await serviceFacts(clocks.books.db)).overdue;
    await clocks.query('delete from incident where id = $1', [incident]);
    expect(await isOverdue()).toBe(true);
    expect((await serviceFacts(clocks.books.db)).overdue).toBeGreaterThanOrEqual(others);
    expect((await serviceFacts(clocks.books.db)).overdue).toBeGreaterThan(89 * 86_400);
  });

  test('is overdue all the same if its deadline had passed before the incident', async () => {
    const id = await clocks.orderIn('claimed');
    await clocks.pass(STAGE_DAYS + 10);
    await open(KES);
    const overdue = await overdueOrders(clocks.books.db, '3 minutes');
    expect(overdue.map((order) => order.id)).toContain(id);
  });

  test('makes no payment late that the agent could not make in time', async () => {
    const settled = async (): Promise<Date | null> => {
      const id = await clocks.orderIn('crypto_verify_pending');
      return (await expectedPayment(clocks.books.db, id, 0)).payment.dueBy;
    };
    expect(await settled()).not.toBeNull();
    const id = await clocks.orderIn('confirmed');
    const incident = await open(TRX);
    await clocks.pass(STAGE_DAYS + 10);
    const settle = { trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' } as const;
    expect(await clocks.take('settle', id, settle)).toBe('applied');
    const dueBy = async () => (await expectedPayment(clocks.books.db, id, 0)).payment.dueBy;
    expect(await dueBy()).toBeNull();
    await close(incident);
    expect(await dueBy()).toBeNull();
  });

  test('counts a stage that begins in it from its beginning', async () => {
    const id = await clocks.orderIn('confirmed');
    await clocks.pass(500);
    const incident = await open(TRX);
    await clocks.pass(300);
    const settle = { trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' } as const;
    expect(await clocks.take('settle', id, settle)).toBe('applied');
    await clocks.pass(300);
    await close(incident);
    expect(await clocks.left(id)).toBe(STAGE_DAYS);
  });

  test('is frozen with what it has left', async () => {
    const id = await clocks.orderIn('claimed');
    await clocks.pass(100);
    const incident = await open(KES);
    await clocks.pass(2_000);
    expect(await clocks.take('freeze', id, { trigger: 'freeze' })).toBe('applied');
    await clocks.pass(10);
    await close(incident);
    expect(await events(id)).toEqual([]);
    expect(await clocks.take('unfreeze', id, { trigger: 'unfreeze' })).toBe('applied');
    expect(await clocks.left(id)).toBe(STAGE_DAYS - 100);
  });

  test.each([
    ['an outage within it', ['open', 'away', 'back', 'close']],
    ['an outage around it', ['away', 'open', 'close', 'back']],
    ['an outage that begins in it', ['open', 'away', 'close', 'back']],
    ['an outage that ends in it', ['away', 'open', 'back', 'close']],
    ['another incident within it', ['open', 'openOther', 'closeOther', 'close']],
    ['another incident that ends later', ['open', 'openOther', 'close', 'closeOther']],
  ])('counts no time twice and loses none with %s', async (_what, steps) => {
    const id = await clocks.orderIn('matched');
    await clocks.pass(10);
    const ids: Record<string, number> = {};
    for (const step of steps) {
      if (step === 'away') await clocks.beginOutage();
      else if (step === 'back') await endOutage();
      else if (step === 'open') ids.close = await open(KES);
      else if (step === 'openOther') ids.closeOther = await open(TRX);
      else await close(ids[step] ?? 0);
      await clocks.pass(700);
    }
    // After the last step the clock runs again.
    expect(await clocks.left(id)).toBe(STAGE_DAYS - 10 - 700);
  });

  test('takes a step that keeps the deadline without a loss, also while the incident closes', async () => {
    const id = await clocks.orderIn('crypto_verify_pending');
    const incident = await open(TRX);
    await clocks.pass(200);
    const again = { trigger: 'retryVerification', txHash: 'ab', txHashGiven: 'ab' } as const;
    expect(await clocks.take('retryVerification', id, again)).toBe('applied');
    await clocks.pass(200);
    const other = await clocks.books.db.pool.connect();
    await other.query('begin');
    await other.query(
      `update orders set status_reason = 'A step', status_reason_code = 'note' where id = $1`,
      [id],
    );
    const closing = close(incident);
    await eventually(() => countWaiting(clocks.books.db.pool, 'closing_at'));
    await other.query('commit');
    other.release();
    expect((await closing)?.moved).toBeGreaterThan(0);
    expect(await clocks.left(id)).toBe(STAGE_DAYS);
  });

  test('is moved once by two incidents that close at the same time', async () => {
    const id = await clocks.orderIn('matched');
    const both = [await open(KES), await open(TRX)];
    await clocks.pass(300);
    await Promise.all(both.map(close));
    expect(await clocks.left(id)).toBe(STAGE_DAYS);
  });
});

test('an incident whose end fails in between stops only the clocks whose turn has not come, until the end is repeated', async () => {
  const ids = [await clocks.orderIn('matched'), await clocks.orderIn('matched')] as const;
  const incident = await open(KES);
  await clocks.pass(300);
  // The orders of other tests come first.
  const [before] = await clocks.query(
    `select count(*)::int as n from orders where status in ('matched', 'claimed', 'fiat_sent') and timeout_at > now() - interval '300 days' and id <= $1`,
    [ids[0]],
  );
  const failing = failingAfter(clocks.books.db, 'incident-move-deadlines', Number(before?.n));
  await expect(closeIncident(failing, incident, 'admin:root', { most: 1 })).rejects.toThrow(
    'The connection is lost',
  );
  expect(await Promise.all(ids.map(clocks.left))).toEqual([STAGE_DAYS, STAGE_DAYS - 300]);
  await clocks.pass(100);
  await close(incident);
  expect(await Promise.all(ids.map(clocks.left))).toEqual([STAGE_DAYS - 100, STAGE_DAYS]);
});

describe('a release', () => {
  const release = (id: number) => ({
    ...{ trigger: 'release', lpId: clocks.lp, freeSince: new Date(Date.now() + 60_000).toISOString() },
    id,
  });
  const strikesAfterRelease = async (id: number) => {
    const { id: _, ...command } = release(id);
    expect(await clocks.take('reofferOrder', id, command as never)).toBe('applied');
    return strikes(id);
  };

  test('in an incident costs no strike, and none after it', async () => {
    const [during, after, without] = [
      await clocks.orderIn('claimed'),
      await clocks.orderIn('claimed'),
      await clocks.orderIn('claimed'),
    ];
    expect(await strikesAfterRelease(without)).toBe(1);
    const incident = await open(KES_MOBILE);
    expect(await strikesAfterRelease(during)).toBe(0);
    await close(incident);
    expect(await strikesAfterRelease(after)).toBe(0);
  });

  test('after a deadline that had passed before the incident costs one', async () => {
    const id = await clocks.orderIn('claimed');
    await clocks.query(`update orders set timeout_at = now() - interval '1 second' where id = $1`, [id]);
    await open(KES);
    expect(await strikesAfterRelease(id)).toBe(1);
  });

  test('in an incident of the chain costs one: the fiat does not need the chain', async () => {
    const id = await clocks.orderIn('claimed');
    await open(TRX);
    expect(await strikesAfterRelease(id)).toBe(1);
  });
});

/** What each of these scopes stops, as `docs/operations.md` says it. */
const SCOPES: [IncidentScope, OrderStatus[]][] = [
  [KES, ['matched', 'claimed', 'fiat_sent']],
  [KES_MOBILE, ['matched', 'claimed', 'fiat_sent']],
  [TRX, ['matched', 'confirmed', 'crypto_verify_pending']],
  [NGN, []],
];

test('random incidents, outages and commands leave each order the time that it had', async () => {
  const seed = seedFrom('CLOCK_SEED');
  const random = createRandom(seed);
  for (let round = 0; round < 6; round++) {
    const orders = await Promise.all(
      Object.keys(STATUSES).map(async (status) => ({
        id: await clocks.orderIn(status as OrderStatus),
        ...{ status: status as OrderStatus, left: STAGE_DAYS, isFrozen: false },
      })),
    );
    const opened = new Map<number, { id: number; statuses: OrderStatus[] }>();
    let isAway = false;
    const stands = ({ status, isFrozen }: { status: OrderStatus; isFrozen: boolean }) =>
      isFrozen || isAway || [...opened.values()].some(({ statuses }) => statuses.includes(status));
    const toggle = async (place: number) => {
      const [scope, statuses] = SCOPES[place] as (typeof SCOPES)[number];
      const known = opened.get(place);
      if (known) await close(known.id);
      else opened.set(place, { id: await open(scope), statuses });
      if (known) opened.delete(place);
    };
    const outage = async () => {
      await (isAway ? endOutage() : clocks.beginOutage());
      isAway = !isAway;
    };
    const freeze = async (order: (typeof orders)[number]) => {
      const trigger = order.isFrozen ? 'unfreeze' : 'freeze';
      expect(await clocks.take(trigger, order.id, { trigger })).toBe('applied');
      order.isFrozen = !order.isFrozen;
    };
    for (let step = 0; step < 30; step++) {
      const days = random.integer(1, 10);
      await clocks.pass(days);
      for (const order of orders) if (!stands(order)) order.left -= days;
      const order = random.pick(orders);
      const what = random.integer(0, 9);
      if (what < 5) await toggle(random.integer(0, SCOPES.length - 1));
      // Workers also take steps before the first heartbeat after an outage.
      else if (what === 5) await outage();
      else if (what === 6) await freeze(order);
      else if (what === 7 && !order.isFrozen) {
        order.left += 20;
        expect(await extend(order.id, order.left)).toBe('applied');
      } else if (order.status === 'crypto_verify_pending' && !order.isFrozen) {
        const again = { trigger: 'retryVerification', txHash: 'ab', txHashGiven: 'ab' } as const;
        expect(await clocks.take('retryVerification', order.id, again)).toBe('applied');
      }
    }
    if (isAway) await outage();
    for (const place of [...opened.keys()]) await toggle(place);
    for (const order of orders) if (order.isFrozen) await freeze(order);
    const found = await Promise.all(
      orders.map(async ({ id, status }) => ({ status, left: await clocks.left(id) })),
    );
    expect({ seed, round, found }).toEqual({
      ...{ seed, round },
      found: orders.map(({ status, left }) => ({ status, left })),
    });
  }
});
