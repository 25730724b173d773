import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { checkInvariants } from '../../../src/operations/diagnosis/check-invariants.ts';
import { newLp } from '../../support/actors.ts';
import { adminCli } from '../../support/admin-cli.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { type ReserveSetup, startReserveSetup } from '../../support/reserve-setup.ts';

/** What LPs are owed, compared with what the platform's addresses hold on a real node. The tests trigger each comparison. */

const [COVERED, UNCONFIRMED, SHORT, UNKNOWN] = [
  ['covered', 0],
  ['unconfirmed', 0],
  ['short', 1],
  ['unknown', null],
];

let setup: ReserveSetup;
let initial: number;
beforeAll(async () => {
  setup = await startReserveSetup();
  expect((await setup.report()).reserves).toEqual({
    ...{ result: 'not_compared', checked_at: null, owed_usd: null, withdrawing_usd: null },
    ...{ held_usd: null, short_since: null, holdings: [] },
  });
  initial = await setup.deposit(100);
});
afterAll(() => setup?.stop());
/** Each test begins and ends with holdings that equal what is owed. */
beforeEach(async () => {
  expect(await setup.next()).toEqual(COVERED);
  const { owed_usd, held_usd } = (await setup.report()).reserves;
  expect(held_usd).toBe(owed_usd);
});

test('the report shows what is owed and held, and leaves out collateral on a simulated chain', async () => {
  await newLp(setup.corridor, { asset: false, collateral: 1_000 });
  expect(await setup.next()).toEqual(COVERED);
  const empty = { chain: 'polygon', symbol: 'usdc', held: 0, booked: 0, unread: null };
  expect((await setup.report()).reserves).toEqual({
    ...{ result: 'covered', checked_at: expect.any(String), owed_usd: initial, withdrawing_usd: 0 },
    ...{ held_usd: initial, short_since: null },
    holdings: [empty, { chain: 'base', symbol: 'usdc', held: initial, booked: initial, unread: null }],
  });
});

describe('money that leaves the deposit address without Corridor', () => {
  test('is a shortfall at the second comparison, by a millionth of a dollar', async () => {
    await setup.move('platform', 'stranger', 0.000001);
    expect(await setup.next()).toEqual(UNCONFIRMED);
    expect(await setup.next()).toEqual(SHORT);
    const { needs_attention, drift, reserves } = await setup.report();
    expect([needs_attention, reserves.short_since]).toEqual([true, expect.any(String)]);
    const [finding] = drift.find(({ kind }) => kind === 'reserve_shortfall')?.first ?? [];
    const missing = String(Number((initial - 0.000001).toFixed(6)));
    expect(finding).toMatchObject({ order_id: null, expected: `at least ${initial} USD` });
    expect(finding?.found).toMatch(new RegExp(`^${missing} USD \\(.*${missing} usdc on base`));
    expect(await checkInvariants({ db: setup.corridor.db, log: setup.corridor.shared.log })).toHaveLength(1);

    const { exit, stdout } = await adminCli(setup.corridor).admin('reconcile');
    expect(exit).toBe(1);
    expect(stdout).toMatch(/^reserve shortfall +1 +no$/m);
    expect(stdout).toContain(`LPs are owed ${initial} USD, the platform’s addresses hold ${missing} USD.`);
    await setup.move('sender', 'platform', 0.000001);
    expect(await setup.next()).toEqual(COVERED);
  });

  test('is not reported while another of the platform’s addresses holds as much', async () => {
    await setup.move('platform', 'cold', 60);
    for (let round = 0; round < 3; round++) expect(await setup.next()).toEqual(COVERED);
    await setup.move('cold', 'stranger', 60);
    await setup.compare();
    expect(await setup.next()).toEqual(SHORT);
    await setup.move('stranger', 'second', 60);
    expect(await setup.next()).toEqual(COVERED);
    await setup.move('second', 'platform', 60);
  });

  test('is not made up for by an address that is named twice', async () => {
    await setup.move('platform', 'second', 60);
    expect(await setup.next()).toEqual(COVERED);
    await setup.move('platform', 'stranger', 30);
    await setup.compare();
    expect(await setup.next()).toEqual(SHORT);
    await setup.move('stranger', 'platform', 30);
    await setup.move('second', 'platform', 60);
  });

  test('is not reported while there is more than is owed', async () => {
    await setup.move('sender', 'platform', 25);
    expect(await setup.next()).toEqual(COVERED);
    await setup.move('platform', 'sender', 25);
    expect(await setup.next()).toEqual(COVERED);
  });

  test('is reported although the address holds the platform’s money in another token', async () => {
    const other = await setup.node.deployToken('usdc', 6);
    await other.mint(setup.addressOf('platform'), '1000000');
    await setup.move('platform', 'stranger', 1);
    await setup.compare();
    expect(await setup.next()).toEqual(SHORT);
    await setup.move('stranger', 'platform', 1);
  });
});

describe('a withdrawal', () => {
  test('is owed until it is recorded as paid, and its payout is no shortfall meanwhile', async () => {
    const id = await setup.withdraw(40);
    expect(await setup.next()).toEqual(COVERED);
    expect((await setup.report()).reserves).toMatchObject({ owed_usd: initial, withdrawing_usd: 40 });
    const hash = await setup.move('platform', 'stranger', 40);
    for (let round = 0; round < 3; round++) expect(await setup.next()).toEqual(UNCONFIRMED);
    await setup.recordPaid(id, hash);
    expect(await setup.next()).toEqual(COVERED);
    initial = initial - 40;
  });

  test('does not explain more than its own amount', async () => {
    const id = await setup.withdraw(10);
    const hash = await setup.move('platform', 'stranger', 10);
    await setup.move('platform', 'stranger', 0.000001);
    await setup.compare();
    expect(await setup.next()).toEqual(SHORT);
    await setup.recordPaid(id, hash);
    expect(await setup.next()).toEqual(SHORT);
    await setup.move('stranger', 'platform', 0.000001);
  });

  test('does not explain anything for longer than an hour', async () => {
    const id = await setup.withdraw(10);
    const hash = await setup.move('platform', 'stranger', 10);
    expect(await setup.next()).toEqual(UNCONFIRMED);
    await setup.corridor.db.pool.query(
      `update reserve_check set missing_since = missing_since - interval '1 hour'`,
    );
    expect(await setup.next()).toEqual(SHORT);
    await setup.recordPaid(id, hash);
    expect(await setup.next()).toEqual(COVERED);
  });
});

describe('a comparison while money moves', () => {
  test('is covered when a deposit is credited after the node has read the balance', async () => {
    const late = setup.withBalance(async (real) => {
      const balance = await real();
      await setup.deposit(5);
      return balance;
    });
    expect(await setup.next(late)).toEqual(COVERED);
  });

  test('waits for the next comparison when a payout is sent and recorded before the node reads the balance', async () => {
    const id = await setup.withdraw(7);
    const early = setup.withBalance(async (real) => {
      await setup.recordPaid(id, await setup.move('platform', 'stranger', 7));
      return real();
    });
    expect(await setup.next(early)).toEqual(UNCONFIRMED);
    expect(await setup.next()).toEqual(COVERED);
  });
});

describe('a node that does not answer', () => {
  test('leaves the result unknown, and is no shortfall', async () => {
    setup.proxy.cut();
    try {
      for (let round = 0; round < 3; round++) expect(await setup.next()).toEqual(UNKNOWN);
      const { needs_attention, reserves } = await setup.report();
      expect(needs_attention).toBe(true);
      expect(reserves.holdings).toContainEqual(
        expect.objectContaining({ chain: 'base', held: null, unread: 'unavailable' }),
      );
    } finally {
      setup.proxy.restore();
    }
  });

  test('does not matter while the other addresses suffice', async () => {
    await setup.move('sender', 'second', 1_000);
    setup.proxy.cut();
    try {
      expect(await setup.next()).toEqual(COVERED);
    } finally {
      setup.proxy.restore();
    }
    await setup.move('second', 'sender', 1_000);
  });
});

test('a comparison that is overdue is unknown', async () => {
  await setup.corridor.db.pool.query(`update reserve_check set good_until = now() - interval '1 second'`);
  expect((await setup.report()).reserves.result).toBe('unknown');
});

test('only one worker compares, once per interval', async () => {
  const checkedAt = async () => (await setup.report()).reserves.checked_at;
  const before = await checkedAt();
  await setup.compare(setup.chains, 3_600_000);
  expect(await checkedAt()).toBe(before);
});

test('nothing is compared without an interval, or without an address on a real chain', async () => {
  await setup.compare(setup.chains, 0);
  expect((await setup.report()).reserves.result).toBe('not_compared');
  await setup.compare();
  const withoutAddresses = new Map(
    [...setup.chains].map(([chain, verifier]) => [
      chain,
      { ...verifier, depositAddress: null, reserveAddresses: [] },
    ]),
  );
  expect(await setup.next(withoutAddresses)).toEqual(['not_compared', 0]);
});

test('workers compare by themselves, and the metrics show the result', async () => {
  const metric = async (series: string) => {
    const text = String(await expectStatus(200, setup.corridor.admin('GET', '/metrics')));
    return text
      .split('\n')
      .find((line) => line.startsWith(`${series} `))
      ?.slice(series.length + 1);
  };
  await setup.corridor.startWorker();
  await setup.move('platform', 'stranger', 1);
  await eventuallyEquals(() => metric('corridor_drift{kind="reserve_shortfall"}'), '1');
  const { owed_usd } = (await setup.report()).reserves;
  const of = '{chain="base",symbol="usdc"}';
  expect(await metric('corridor_reserve_owed_usd')).toBe(String(owed_usd));
  expect(Number(await metric(`corridor_reserve_held_usd${of}`))).toBeCloseTo(Number(owed_usd) - 1, 6);
  expect(await metric(`corridor_reserve_booked_usd${of}`)).toBe(String(owed_usd));
  setup.proxy.cut();
  try {
    await eventuallyEquals(() => metric('corridor_metrics_source_up{source="reserves"}'), '0');
    expect(await metric('corridor_drift{kind="reserve_shortfall"}')).toBeUndefined();
    expect(await metric(`corridor_reserve_held_usd${of}`)).toBeUndefined();
  } finally {
    setup.proxy.restore();
  }
  await setup.move('stranger', 'platform', 1);
  await eventuallyEquals(() => metric('corridor_drift{kind="reserve_shortfall"}'), '0');
  await eventually(async () => (await setup.report()).reserves.result === 'covered');
});
