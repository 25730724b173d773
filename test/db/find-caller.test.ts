import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { AgentKey } from '../../src/db/entities/agent-key.ts';
import { Lp } from '../../src/db/entities/lp.ts';
import { Order } from '../../src/db/entities/order.ts';
import type { AgentScope } from '../../src/domain/agent-scopes.ts';
import { type CallerQuery, createFindCaller } from '../../src/http/access/find-caller.ts';
import { hashKey, newAgentKey } from '../../src/http/access/keys.ts';
import { hitRateWindow, readRateWindow } from '../../src/http/access/rate-window.ts';
import { rotateAgentKey } from '../../src/http/access/rotate-agent-key.ts';
import { type Books, openBooks } from '../support/books.ts';

const LIMIT = 3;
const NOTHING: CallerQuery = { failureWindow: null, agentHash: null, lpHash: null, orderId: null };

const books = await openBooks();
const ask = createFindCaller(books.db, LIMIT, 60);
const inquire = (inquiry: Partial<CallerQuery>) => ask({ ...NOTHING, ...inquiry });
afterAll(() => books.db.close());

const newKey = async (fields: object = {}): Promise<{ id: number; hash: Buffer }> => {
  const hash = randomBytes(32);
  const id = await books.db.em().insert(AgentKey, { key_hash: hash, max_exposure_usd: '0', ...fields });
  return { id: Number(id), hash };
};
const newOrder = async (): Promise<number> => {
  const draft = await books.draft(await books.newLp(), '6475');
  await books.create(draft);
  return draft.id;
};
const agentOf = async (agentHash: Buffer) => (await inquire({ agentHash })).agent?.id;

describe('an agent key', () => {
  test('is found only by its hash', async () => {
    const { id, hash } = await newKey();
    expect(await agentOf(hash)).toBe(id);
    expect(await agentOf(randomBytes(32))).toBeUndefined();
    expect((await inquire({ lpHash: hash })).agent).toBeNull();
  });

  test('is not found once deactivated, neither by its secret nor by replaced ones', async () => {
    const previous = randomBytes(32);
    const older = randomBytes(32);
    const ends = new Date(Date.now() + 3_600_000);
    const { hash } = await newKey({
      ...{ is_active: false, previous_key_hash: previous, previous_expires_at: ends },
      ...{ older_key_hash: older, older_expires_at: ends },
    });
    for (const one of [hash, previous, older]) expect(await agentOf(one)).toBeUndefined();
  });

  test('is found by the replaced secret during the overlap', async () => {
    const { id, hash } = await newKey();
    const next = hashKey(newAgentKey());
    await rotateAgentKey(books.db, id, next, 3_600_000);
    expect([await agentOf(hash), await agentOf(next)]).toEqual([id, id]);
    const past = "update agent_key set previous_expires_at = now() - interval '1 second' where id = $1";
    await books.db.query('t-past', past, [id]);
    expect([await agentOf(hash), await agentOf(next)]).toEqual([undefined, id]);
  });

  test('is found by its oldest valid secret during the overlap of that secret, however often it is rotated', async () => {
    const { id, hash } = await newKey();
    const secrets = [hash, ...Array.from({ length: 3 }, () => hashKey(newAgentKey()))];
    for (const secret of secrets.slice(1)) await rotateAgentKey(books.db, id, secret, 3_600_000);
    const found = () => Promise.all(secrets.map(agentOf));
    expect(await found()).toEqual([id, undefined, id, id]);
    const past = "update agent_key set older_expires_at = now() - interval '1 second' where id = $1";
    await books.db.query('t-past-older', past, [id]);
    expect(await found()).toEqual([undefined, undefined, id, id]);
  });

  test('accepts no old secret after the overlap of a later rotation', async () => {
    const { id, hash } = await newKey();
    const [second, third, fourth] = [randomBytes(32), randomBytes(32), randomBytes(32)];
    await rotateAgentKey(books.db, id, second, 3_600_000);
    await rotateAgentKey(books.db, id, third, 0);
    expect([await agentOf(hash), await agentOf(second), await agentOf(third)]).toEqual([
      undefined,
      undefined,
      id,
    ]);
    // A rotation does not revive an expired secret.
    await rotateAgentKey(books.db, id, fourth, 3_600_000);
    expect([await agentOf(hash), await agentOf(second)]).toEqual([undefined, undefined]);
    expect([await agentOf(third), await agentOf(fourth)]).toEqual([id, id]);
  });
});

describe('rows equal those of the ORM, without the hashes of keys', () => {
  const columns = (entity: { meta: { properties: object } }, without: string[]) =>
    Object.keys(entity.meta.properties).filter((name) => !without.includes(name));
  /** The ORM's row as a plain object. */
  const plain = (row: object | null, names: string[]) =>
    Object.fromEntries(names.map((name) => [name, (row as Record<string, unknown>)[name]]));

  const AGENT = columns(AgentKey, ['key_hash', 'previous_key_hash', 'older_key_hash']);
  const FULL_AGENT = {
    ...{ name: 'An agent', integrator_name: 'A shop', is_active: true, rate_limit: 7 },
    max_exposure_usd: '1234.560000',
    ...{ previous_key_hash: randomBytes(32), previous_expires_at: new Date('2099-01-01T00:00:00.120Z') },
    ...{ older_key_hash: randomBytes(32), older_expires_at: new Date('2098-01-01T00:00:00.120Z') },
    ...{ scopes: ['pay', 'read'] as AgentScope[], expires_at: new Date('2099-01-01T00:00:00.120Z') },
    ...{ allowed_ips: ['192.0.2.0/24'], last_used_address: '192.0.2.7' },
    ...{ created_at: new Date('1999-12-31T23:59:59.001Z'), last_used_at: new Date('2026-06-01T12:00:00Z') },
  };
  test.each([
    ['with a value in each column', FULL_AGENT, []],
    ['with null in every nullable column', {}, AGENT.slice(1, 3)],
  ])('an agent %s', async (_what, fields, nulls) => {
    const { id, hash } = await newKey(fields);
    const { agent } = await inquire({ agentHash: hash });
    expect(agent).toStrictEqual(plain(await books.db.em().findOne(AgentKey, { id }), AGENT));
    for (const name of nulls) expect(agent).toHaveProperty(name, null);
    expect(Object.values(agent as object).some((value) => value === null)).toBe(nulls.length > 0);
  });

  test('an LP', async () => {
    const id = await books.newLp({ tier: 2 });
    const lp = await books.db.em().findOneOrFail(Lp, { id });
    const found = await inquire({ lpHash: lp.key_hash });
    expect(found.lp).toStrictEqual(
      plain(lp, columns(Lp, ['key_hash', 'previous_key_hash', 'older_key_hash'])),
    );
    expect(found.agent).toBeNull();
  });

  const ORDER = columns(Order, []);
  test('an order with null in every nullable column', async () => {
    const id = await newOrder();
    const { order } = await inquire({ orderId: id });
    expect(order).toStrictEqual(plain(await books.db.em().findOne(Order, { id }), ORDER));
    for (const name of ['frozen_ms', 'completed_at', 'slashed_usd', 'callback_url'])
      expect(order).toHaveProperty(name, null);
  });

  test('an order with a value in each column', async () => {
    const id = await newOrder();
    const full = {
      ...{
        institution: 'mpesa',
        recipient_details: { phone: '+254700123456', name: 'Ann “A” O’Neil\\' },
        recipient_check: {
          recipient_check_id: 'rc_1',
          result: 'matched' as const,
          name_masked: 'A••• O•••',
          checked_at: '2026-01-05T09:00:00.000Z',
        },
        recipient_name: 'Ann “A” O’Neil\\',
        callback_url: 'https://shop.example/?a=1,2',
        receipt_url: '/r',
      },
      ...{
        status_reason: '{a,"b"}',
        status_reason_code: 'note' as const,
        lp_receive_address: 'T1',
        destination_tag: 4_294_967_295,
        collateral_locked: '62.500000',
        float_reserved: '6475.00',
        claim_rate_usd: '129.50000000',
      },
      ...{ user_crypto_tx_hash: 'ab', slashed_usd: '0.010000', frozen_ms: 9_007_199_254_740_991 },
      ...{ rejected_tx_hashes: ['a', 'b,"c"', 'd e'], excluded_lp_ids: [1, 9_007_199_254_740_991] },
      ...{
        completed_at: new Date('2030-02-28T23:59:59.999Z'),
        cancelled_at: new Date('2030-03-01T00:00:00Z'),
      },
      ...{ status: 'cancelled' as const, recipient: '•••', masked_at: new Date('2031-03-01T00:00:00Z') },
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    };
    // Nothing else may change a recipient.
    await books.db.pool.query('alter table orders disable trigger orders_keep_recipient');
    await books.db.em().nativeUpdate(Order, { id }, full);
    const { order } = await inquire({ orderId: id });
    expect(order).toStrictEqual(plain(await books.db.em().findOne(Order, { id }), ORDER));
    expect(order).toMatchObject(full);
    for (const name of ORDER) expect([name, order?.[name as keyof Order]]).not.toEqual([name, null]);
  });
});

test('an unknown order is not found, not even with the largest possible id', async () => {
  expect((await inquire({ orderId: Number.MAX_SAFE_INTEGER })).order).toBeNull();
});

describe('an address', () => {
  const hit = (key: string) => hitRateWindow(books.db, key, LIMIT, 60);
  const agreed = async (failureWindow: string) => {
    const { blockedForSeconds } = await inquire({ failureWindow });
    const { within, resetSeconds } = await readRateWindow(books.db, failureWindow, LIMIT, 60);
    expect(blockedForSeconds === null).toBe(within);
    // The second may change between the two reads.
    if (blockedForSeconds !== null) expect(Math.abs(blockedForSeconds - resetSeconds)).toBeLessThanOrEqual(1);
    return blockedForSeconds;
  };

  test('is refused from the failure that fills its window', async () => {
    const found: (number | null)[] = [];
    for (let i = 0; i <= LIMIT + 1; i++) {
      found.push(await agreed('full'));
      await hit('full');
    }
    expect(found).toEqual([null, null, null, expect.any(Number), expect.any(Number)]);
    const { hash } = await newKey();
    expect((await inquire({ failureWindow: 'full', agentHash: hash })).blockedForSeconds).toBeGreaterThan(0);
    expect((await inquire({ failureWindow: 'another', agentHash: hash })).blockedForSeconds).toBeNull();
    expect((await inquire({ agentHash: hash })).blockedForSeconds).toBeNull();
  });

  test('has room again when its oldest failure leaves the window', async () => {
    for (let i = 0; i < LIMIT; i++) await hit('old');
    const shift = (seconds: number) =>
      books.db.query(
        't-shift',
        "update rate_window set hits[1] = clock_timestamp() - $1 * interval '1 second' where key = 'old'",
        [seconds],
      );
    await shift(50);
    const left = (await agreed('old')) as number;
    // On any machine, the value was at most 10 when the test set the time.
    expect(left).toBeGreaterThanOrEqual(1);
    expect(left).toBeLessThanOrEqual(10);
    await shift(61);
    expect(await agreed('old')).toBeNull();
  });

  test('is refused while its failures exceed a lowered limit', async () => {
    for (let i = 0; i < LIMIT; i++) await hit('smaller');
    const ask = createFindCaller(books.db, 1, 60);
    expect((await ask({ ...NOTHING, failureWindow: 'smaller' })).blockedForSeconds).toBeGreaterThan(0);
  });
});

test('each of many concurrent requests gets its own caller', async () => {
  const orders = await Promise.all(Array.from({ length: 5 }, newOrder));
  const keys = await Promise.all(Array.from({ length: 7 }, () => newKey()));
  const asked = Array.from({ length: 45 }, (_, i) => ({ order: orders[i % 6], key: keys[i % 8] }));
  const found = await Promise.all(
    asked.map(({ order, key }) =>
      inquire({ orderId: order ?? null, agentHash: key?.hash ?? randomBytes(32) }),
    ),
  );
  expect(found.map(({ order, agent }) => [order?.id, agent?.id])).toEqual(
    asked.map(({ order, key }) => [order, key?.id]),
  );
});

test('an empty query does not reach the database', async () => {
  const away = { ...books.db, pool: { query: () => Promise.reject(new Error('away')) } };
  const ask = createFindCaller(away as unknown as Books['db'], LIMIT, 60);
  expect(await ask(NOTHING)).toEqual({ blockedForSeconds: null, agent: null, lp: null, order: null });
  await expect(ask({ ...NOTHING, orderId: 1 })).rejects.toThrow('away');
});
