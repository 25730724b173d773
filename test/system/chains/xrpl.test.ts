import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { classicAddressToXAddress } from 'ripple-address-codec';
import { expectStatus } from '../../../dev/http-client.ts';
import { createXrplVerifier, type XrplSettings } from '../../../src/adapters/chain-xrpl.ts';
import type { ExpectedPayment } from '../../../src/adapters/ports.ts';
import {
  claim,
  confirm,
  confirmedOrder,
  fiatSent,
  lastTransition,
  newAgent,
  newLp,
  newOrder,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { startJsonServer } from '../../support/json-server.ts';
import { shownVerdict } from '../../support/shown-verdict.ts';
import { watchVerifications } from '../../support/verification-watch.ts';
import { startXrplServer, type XrplServer } from '../../support/xrpl-server.ts';

const LP = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const PAYER = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const STRANGER = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
/** "USDT" in the ledger's form for names of more than three letters. */
const USDT = '5553445400000000000000000000000000000000';
const AT = '2026-03-01T00:00:00Z';

let server: XrplServer;
beforeAll(async () => {
  server = await startXrplServer();
});
beforeEach(() => {
  server.fail(undefined);
  server.networkId = 0;
  server.accounts.clear();
});
afterAll(() => server?.close());

const settings = (changes: Partial<XrplSettings> = {}): XrplSettings => ({
  rpcUrl: server.url,
  networkId: 0,
  tokens: { usdt: { issuer: ISSUER, currency: USDT }, usdc: { issuer: ISSUER, currency: 'USD' } },
  depositAddress: null,
  reserveAddresses: [],
  ...changes,
});

const usdt = (value: string, changes: object = {}) => ({ currency: USDT, issuer: ISSUER, value, ...changes });

interface Reported {
  /** The Amount that the transaction names, which may exceed what was delivered. */
  amount?: unknown;
  delivered?: unknown;
  result?: string;
  validated?: boolean;
  tx?: object;
  at?: string;
}
/** Adds a payment to the server, and returns its hash. */
function put({
  amount,
  delivered,
  result = 'tesSUCCESS',
  validated = true,
  tx = {},
  at = AT,
}: Reported): string {
  const hash = randomBytes(32).toString('hex');
  server.transactions.set(hash.toUpperCase(), {
    validated,
    ledger_index: 94_000_001,
    ...(validated ? { close_time_iso: at } : {}),
    tx_json: {
      TransactionType: 'Payment',
      Account: PAYER,
      Destination: LP,
      DeliverMax: amount ?? delivered,
      Fee: '12',
      Flags: 0,
      ...tx,
    },
    meta: {
      TransactionIndex: 4,
      TransactionResult: result,
      ...(delivered === undefined ? {} : { delivered_amount: delivered }),
    },
  });
  return hash;
}

const verify = async (txHash: string, changes: Partial<ExpectedPayment> = {}, given = settings()) =>
  shownVerdict(
    await createXrplVerifier(given).verify({
      txHash,
      symbol: 'usdt',
      recipient: LP,
      amount: '10.050000',
      notBefore: new Date(0),
      dueBy: null,
      destinationTag: null,
      platformMaySend: false,
      ...changes,
    }),
  );
const invalid = (reason: RegExp) => ({ kind: 'invalid', reason: expect.stringMatching(reason) });

describe('a payment in an issued currency', () => {
  test('is verified in a validated ledger, by what was delivered', async () => {
    expect(await verify(put({ delivered: usdt('10.05') }))).toEqual({
      kind: 'verified',
      paid: '10.05',
      note: null,
    });
    const [about, tx] = server.received.slice(-2);
    expect(about).toMatchObject({ command: 'server_info' });
    expect(tx).toMatchObject({
      command: 'tx',
      transaction: expect.stringMatching(/^[0-9A-F]{64}$/),
      api_version: 2,
    });
    await eventually(async () => server.connections() === 0);
  });

  test('that was partial counts by what arrived, not by its Amount', async () => {
    const partial = { amount: usdt('1000000'), delivered: usdt('0.000001'), tx: { Flags: 131_072 } };
    expect(await verify(put(partial))).toEqual(invalid(/pays 0.000001 usdt, not exactly 10.05/));
    const enough = { amount: usdt('1000000'), delivered: usdt('10.05'), tx: { Flags: 131_072 } };
    expect(await verify(put(enough))).toMatchObject({ kind: 'verified', paid: '10.05' });
  });

  test('may be written with an exponent', async () => {
    expect(await verify(put({ delivered: usdt('1005e-2') }))).toMatchObject({
      kind: 'verified',
      paid: '10.05',
    });
  });

  test('has a three-letter code whose case matters', async () => {
    const dollars = (currency: string) => put({ delivered: usdt('10.05', { currency }) });
    expect(await verify(dollars('USD'), { symbol: 'usdc' })).toMatchObject({ kind: 'verified' });
    expect(await verify(dollars('usd'), { symbol: 'usdc' })).toEqual(invalid(/pays no usdc/));
  });

  test.each<[string, Reported, RegExp]>([
    ['too little', { delivered: usdt('10.049999') }, /pays 10.049999/],
    ['another issuer’s currency', { delivered: usdt('10.05', { issuer: STRANGER }) }, /pays no usdt/],
    ['another currency', { delivered: usdt('10.05', { currency: 'EUR' }) }, /pays no usdt/],
    ['XRP', { delivered: '10050000' }, /pays no usdt/],
    ['an unknown amount', { amount: usdt('10.05'), delivered: 'unavailable' }, /pays no usdt/],
    ['without a delivered amount', { amount: usdt('10.05') }, /pays no usdt/],
    ['another recipient', { delivered: usdt('10.05'), tx: { Destination: STRANGER } }, /pays no usdt/],
    ['its own sender', { delivered: usdt('10.05'), tx: { Account: LP } }, /pays no usdt/],
    [
      'nothing, because there is no path',
      { delivered: usdt('10.05'), result: 'tecPATH_DRY' },
      /failed: tecPATH_DRY/,
    ],
    [
      'nothing, because it is an offer',
      { delivered: usdt('10.05'), tx: { TransactionType: 'OfferCreate' } },
      /is a OfferCreate/,
    ],
  ])('that pays %s is invalid', async (_what, reported, reason) => {
    expect(await verify(put(reported))).toEqual(invalid(reason));
  });

  test.each<[string, Partial<XrplSettings>]>([
    ['deposit address', { depositAddress: PAYER }],
    ['reserve address', { depositAddress: STRANGER, reserveAddresses: [PAYER] }],
  ])('from the platform’s %s is a payout, and pays nothing else', async (_what, own) => {
    const hash = put({ delivered: usdt('10.05') });
    expect(await verify(hash, {}, settings(own))).toEqual(
      invalid(new RegExp(`^The transaction comes from ${PAYER}, which is the platform’s own address`)),
    );
    expect(await verify(hash, { platformMaySend: true }, settings(own))).toMatchObject({ kind: 'verified' });
  });

  test('from an exchange where the platform has a tag may be a payer’s', async () => {
    const tagged = settings({ depositAddress: classicAddressToXAddress(PAYER, 7, false) });
    expect(await verify(put({ delivered: usdt('10.05') }), {}, tagged)).toMatchObject({ kind: 'verified' });
  });

  test('from before the order is invalid', async () => {
    const notBefore = new Date(Date.parse(AT) + 3_600_000);
    const hash = put({ delivered: usdt('10.05') });
    expect(await verify(hash, { notBefore })).toEqual(invalid(/before what it should pay for/));
  });

  test('is pending until its ledger is validated, and not found before it is there', async () => {
    const hash = put({ delivered: usdt('10.05'), validated: false });
    expect(await verify(hash)).toEqual({
      kind: 'pending',
      confirmations: 'ledger 94000001 is not validated',
    });
    expect(await verify('ab'.repeat(32))).toEqual({ kind: 'not_found' });
  });
});

describe('a payment in XRP', () => {
  test('is counted in drops', async () => {
    const xrp = { symbol: 'xrp' };
    expect(await verify(put({ delivered: '10050000' }), xrp)).toMatchObject({
      kind: 'verified',
      paid: '10.05',
    });
    expect(await verify(put({ delivered: '10049999' }), xrp)).toEqual(invalid(/pays 10.049999 xrp, not/));
    expect(await verify(put({ delivered: '10050001' }), xrp)).toEqual(invalid(/pays 10.050001 xrp, not/));
    expect(await verify(put({ delivered: usdt('10.05') }), xrp)).toEqual(invalid(/pays no xrp/));
  });
});

describe('a destination tag', () => {
  const paid = (DestinationTag?: number) =>
    put({ delivered: usdt('10.05'), tx: DestinationTag === undefined ? {} : { DestinationTag } });

  test.each([0, 7, 4_294_967_295])('is part of the address: %d', async (tag) => {
    expect(await verify(paid(tag), { destinationTag: tag })).toMatchObject({ kind: 'verified' });
  });

  test.each<[string, number | undefined, number | null, string]>([
    ['with another tag', 8, 7, 'The transaction has destination tag 8, and it must be 7'],
    ['without a tag', undefined, 7, 'The transaction has no destination tag, and it must be 7'],
    [
      'without a tag, although it must be 0',
      undefined,
      0,
      'The transaction has no destination tag, and it must be 0',
    ],
    [
      'with a tag, although none was expected',
      7,
      null,
      'The transaction has destination tag 7, and it must have none',
    ],
    [
      'with the tag 0, although none was expected',
      0,
      null,
      'The transaction has destination tag 0, and it must have none',
    ],
  ])('a payment %s is not the payment', async (_what, tag, destinationTag, reason) => {
    expect(await verify(paid(tag), { destinationTag })).toEqual({ kind: 'invalid', reason });
  });

  test('of a payment to another recipient does not matter', async () => {
    const hash = put({ delivered: usdt('10.05'), tx: { Destination: STRANGER, DestinationTag: 7 } });
    expect(await verify(hash, { destinationTag: 7 })).toEqual(invalid(/pays no usdt/));
  });

  test('is required by an account with lsfRequireDestTag, of this network', async () => {
    const { tags } = createXrplVerifier(settings());
    server.accounts.set(LP, 0x00020000 | 0x00800000);
    server.accounts.set(PAYER, 0x00800000);
    expect(await tags?.areRequired(LP)).toBe(true);
    expect(server.received.at(-1)).toMatchObject({
      command: 'account_info',
      account: LP,
      ledger_index: 'validated',
    });
    expect(await tags?.areRequired(PAYER)).toBe(false);
    // An account that has not been funded yet.
    expect(await tags?.areRequired(STRANGER)).toBe(false);
    server.networkId = 1;
    await expect(createXrplVerifier(settings()).tags?.areRequired(LP)).rejects.toThrow(
      'is on network 1, not 0',
    );
    await eventually(async () => server.connections() === 0);
  });
});

describe('a server that fails', () => {
  test.each([
    ['noNetwork', /the server refused \(noNetwork\)/],
    ['slowDown', /the server refused \(slowDown\)/],
    ['hang', /no answer/],
  ])('with %s is an error', async (error, message) => {
    const hash = put({ delivered: usdt('10.05') });
    server.fail(error);
    await expect(verify(hash)).rejects.toThrow(message);
    await eventually(async () => server.connections() === 0);
    // The library would connect again after a ping without an answer.
    expect(server.received.map(({ command }) => command)).not.toContain('ping');
  });

  test('by ending the connection has answered, and the library does not connect again', async () => {
    const hash = put({ delivered: usdt('10.05') });
    const before = server.connected();
    server.dropsAfterAnswer = true;
    expect(await verify(hash)).toMatchObject({ kind: 'verified' });
    await eventually(async () => server.connections() === 0);
    // It would do so after 100 ms.
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(server.connected()).toBe(before + 1);
  });

  test('of another network is an error', async () => {
    server.networkId = 1;
    const hash = put({ delivered: usdt('10.05') });
    const failure = 'xrpl cannot be queried: its server is on network 1, not 0';
    await expect(verify(hash)).rejects.toThrow(failure);
    expect(await verify(hash, {}, settings({ networkId: 1 }))).toMatchObject({ kind: 'verified' });
    // Without a number, it is on the main network.
    server.networkId = undefined;
    expect(await verify(hash)).toMatchObject({ kind: 'verified' });
    const unnamed = 'xrpl cannot be queried: its server is on network 0, not 1';
    await expect(verify(hash, {}, settings({ networkId: 1 }))).rejects.toThrow(unnamed);
  });

  test('that answers in another form is an error', async () => {
    const hash = 'cd'.repeat(32);
    server.transactions.set(hash.toUpperCase(), { validated: true, TransactionType: 'Payment' });
    await expect(verify(hash)).rejects.toThrow(
      'xrpl cannot be queried: the server’s answer has an unexpected form',
    );
  });

  test('that does not listen, or does not speak WebSocket, is an error without address or key', async () => {
    const http = await startJsonServer(() => ({ json: {} }));
    try {
      for (const rpcUrl of [
        'ws://127.0.0.1:1/key-of-the-node',
        `${http.url.replace('http', 'ws')}/key-of-the-node`,
      ]) {
        const failure = await verify('ab'.repeat(32), {}, settings({ rpcUrl })).then(
          () => undefined,
          (error: Error) => error,
        );
        expect(failure?.message).toMatch(/^xrpl cannot be queried: no connection/);
        expect(failure?.message).not.toMatch(/127\.0\.0\.1|key-of-the-node/);
      }
    } finally {
      await http.close();
    }
  });
});

describe('an LP at an exchange, on a real chain', () => {
  const PLATFORM = classicAddressToXAddress(PAYER, 99, false);
  let corridor: TestCorridor;
  beforeAll(async () => {
    const env = {
      SANDBOX: 'true',
      CHAIN_XRPL_RPC_URL: server.url,
      CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:USDT`,
      CHAIN_XRPL_DEPOSIT_ADDRESS: PLATFORM,
    };
    corridor = await startCorridor({ env });
  });
  afterAll(() => corridor?.stop());
  beforeEach(() => {
    server.accounts.set(LP, 0x00020000);
  });

  const newTaker = () => newLp(corridor, { asset: false });
  const register = (lp: TestLp, address: string, destination_tag?: number) =>
    lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'xrpl', address, destination_tag });
  const refusedFor = (field: string, reason: RegExp) => ({
    status: 400,
    body: { error: { fieldErrors: { [field]: [expect.stringMatching(reason)] } } },
  });

  test('needs a tag if the account requires one', async () => {
    const lp = await newTaker();
    const withoutTag = classicAddressToXAddress(LP, false, false);
    for (const address of [LP, withoutTag])
      expect(await register(lp, address)).toMatchObject(refusedFor('destination_tag', /is required/));
    expect((await register(lp, LP, 11)).status).toBe(201);
    server.accounts.set(LP, 0);
    expect((await register(lp, LP)).status).toBe(201);
  });

  test('must register again when the server is back: a check without a response counts as failed', async () => {
    const lp = await newTaker();
    server.fail('noNetwork');
    const answer = await register(lp, LP);
    expect(answer).toMatchObject({
      status: 503,
      body: { error: expect.stringMatching(/^xrpl does not respond/) },
    });
    expect(answer.headers.get('retry-after')).toBe('10');
    server.fail(undefined);
    expect((await register(lp, LP)).status).toBe(400);
  });

  test('may use the account of others, but not their tag, in any notation', async () => {
    const [one, two] = [await newTaker(), await newTaker()];
    const xAddress = (tag: number) => classicAddressToXAddress(LP, tag, false);
    expect((await register(one, LP, 21)).status).toBe(201);
    for (const answer of [await register(two, LP, 21), await register(two, xAddress(21))])
      expect(answer).toMatchObject({
        status: 409,
        body: { error: expect.stringContaining(`${LP} with destination tag 21 belongs to another LP`) },
      });
    expect((await register(two, xAddress(22))).status).toBe(201);
    const { assets } = (await two.call('GET', `/api/lp/${two.key}/dashboard`)).body;
    expect(assets).toEqual([expect.objectContaining({ chain: 'xrpl', address: LP, destination_tag: 22 })]);
  });

  test('cannot have two tags, a tag on another chain, or an X-address of another network', async () => {
    const lp = await newTaker();
    const tagged = classicAddressToXAddress(LP, 7, false);
    expect(await register(lp, tagged, 8)).toMatchObject(
      refusedFor('destination_tag', /tag in the X-address: 7/),
    );
    const untagged = classicAddressToXAddress(LP, false, false);
    expect(await register(lp, untagged, 8)).toMatchObject(refusedFor('destination_tag', /X-address: none/));
    const test = classicAddressToXAddress(LP, 7, true);
    expect(await register(lp, test)).toMatchObject(refusedFor('address', /must be an address of xrpl/));
    const elsewhere = { symbol: 'usdt', chain: 'trx', address: 'TMine', destination_tag: 7 };
    expect(await lp.call('POST', `/api/lp/${lp.key}/assets`, elsewhere)).toMatchObject(
      refusedFor('destination_tag', /addresses of trx have no destination tag/),
    );
  });

  test('does not receive at a black hole, an issuer or the platform, whatever the tag', async () => {
    const lp = await newTaker();
    const blackHole = classicAddressToXAddress('rrrrrrrrrrrrrrrrrrrrrhoLvTp', 7, false);
    expect(await register(lp, blackHole)).toMatchObject(refusedFor('address', /burn address/));
    expect(await register(lp, ISSUER, 7)).toMatchObject(refusedFor('address', /issuer/));
    for (const answer of [
      await register(lp, PLATFORM),
      await register(lp, PAYER, 99),
      await register(lp, PAYER),
    ])
      expect(answer).toMatchObject(refusedFor('address', /platform’s deposit address/));
    // The platform's account belongs to an exchange, so another tag is another customer.
    expect((await register(lp, PAYER, 98)).status).toBe(201);
  });

  test('is paid with the tag of its claim, which is shown beside the address', async () => {
    const [agent, lp] = [await newAgent(corridor), await newTaker()];
    await expectStatus(201, register(lp, LP, 31));
    const id = await newOrder(agent, { crypto_chain: 'xrpl', callback_url: corridor.receiver.url });
    const claimed = { lp_receive_address: LP, destination_tag: 31 };
    expect(await claim(lp, id)).toMatchObject({ status: 200, body: claimed });
    // A later change of the address does not affect the order.
    await expectStatus(201, register(lp, LP, 32));
    expect(await claim(lp, id)).toMatchObject({ status: 200, body: claimed });
    expect((await corridor.anyone('GET', `/api/orders/${id}`)).body).toMatchObject(claimed);
    expect((await corridor.admin('GET', `/api/admin/orders/${id}`)).body).toMatchObject(claimed);
    const { my_orders } = (await lp.call('GET', `/api/lp/${lp.key}/dashboard`)).body;
    expect(my_orders[0]).toMatchObject({ id, ...claimed });
    const hook = await corridor.receiver.next(({ body }) => body.status === 'claimed');
    expect(hook.body.data).toMatchObject({ lp_receive_address: classicAddressToXAddress(LP, 31, false) });
    expect(hook.body.data).not.toHaveProperty('destination_tag');

    await expectStatus(200, fiatSent(lp, id));
    await expectStatus(200, confirm(agent, id));
    const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`));
    const paid = (DestinationTag: number) =>
      put({ delivered: usdt(String(crypto_amount)), tx: { DestinationTag }, at: new Date().toISOString() });
    await expectStatus(200, settle(agent, id, paid(32)));
    await eventuallyEquals(() => statusOf(agent, id), 'confirmed');
    expect((await lastTransition(corridor.admin, id)).reason).toBe(
      'The transaction has destination tag 32, and it must be 31',
    );
    await expectStatus(200, settle(agent, id, paid(31)));
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  });

  test('deposits collateral to the platform’s own tag', async () => {
    const lp = await newTaker();
    const body = { amount: 10, chain: 'xrpl' };
    const { deposit_id, pay_to } = await expectStatus(
      200,
      lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, body),
    );
    expect(pay_to).toEqual({
      ...{ chain: 'xrpl', address: PAYER, destination_tag: 99 },
      amount: expect.any(Number),
    });
    const paid = (DestinationTag: number) => {
      const tx = { Account: STRANGER, Destination: PAYER, DestinationTag };
      return put({ delivered: usdt(String(pay_to.amount)), tx, at: new Date().toISOString() });
    };
    const confirmed = async (tx_hash: string) =>
      (await lp.call('POST', `/api/lp/${lp.key}/collateral/${deposit_id}/confirm`, { tx_hash })).status;
    expect(await confirmed(paid(98))).toBe(400);
    expect(await confirmed(paid(99))).toBe(200);
    const { deposit_addresses } = (await lp.call('GET', `/api/lp/${lp.key}/balance`)).body;
    expect(deposit_addresses).toContainEqual({ chain: 'xrpl', address: PAYER, destination_tag: 99 });
  });
});

test('an order is completed by a payment on the XRP Ledger, once it is validated', async () => {
  const corridor = await startCorridor({
    env: { SANDBOX: 'true', CHAIN_XRPL_RPC_URL: server.url, CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:USDT` },
  });
  const verifications = await watchVerifications(corridor);
  try {
    const agent = await newAgent(corridor);
    const asset = { symbol: 'usdt', chain: 'xrpl', address: LP };
    const lp = await lpOn(corridor, asset);
    const wrong = { ...asset, address: 'rMyLedgerAccount' };
    expect((await lp.call('POST', `/api/lp/${lp.key}/assets`, wrong)).status).toBe(400);

    const id = await confirmedOrder(agent, lp, { crypto_chain: 'xrpl' });
    const at = new Date().toISOString();
    const { amount_crypto } = await expectStatus(200, agent.call('GET', `/api/orders/${id}`));
    const hash = put({ delivered: usdt(String(amount_crypto)), validated: false, at });
    expect((await settle(agent, id, hash)).status).toBe(200);
    await eventually(async () =>
      /ledger 94000001 is not validated/.test((await verifications.lastFailure(id)) ?? ''),
    );
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    const reported = server.transactions.get(hash.toUpperCase());
    server.transactions.set(hash.toUpperCase(), { ...reported, validated: true, close_time_iso: at });
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  } finally {
    await verifications.close();
    await corridor.stop();
  }
});
