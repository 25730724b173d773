import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createXrplVerifier, type XrplSettings } from '../../src/adapters/chain-xrpl.ts';
import { confirmedOrder, newAgent, settle, statusOf } from '../support/actors.ts';
import { lpOn } from '../support/chain-lp.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { startJsonServer } from '../support/json-server.ts';
import { watchLooks } from '../support/last-look.ts';
import { startXrplServer, type XrplServer } from '../support/xrpl-server.ts';

const LP = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const PAYER = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const STRANGER = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
/** "USDT" as the ledger writes names of more than three letters. */
const USDT = '5553445400000000000000000000000000000000';
const AT = '2026-03-01T00:00:00Z';

let server: XrplServer;
beforeAll(async () => {
  server = await startXrplServer();
});
beforeEach(() => {
  server.fail(undefined);
  server.networkId = 0;
});
afterAll(() => server?.close());

const settings = (changes: Partial<XrplSettings> = {}): XrplSettings => ({
  rpcUrl: server.url,
  networkId: 0,
  tokens: { usdt: { issuer: ISSUER, currency: USDT }, usdc: { issuer: ISSUER, currency: 'USD' } },
  depositAddress: null,
  ...changes,
});

const usdt = (value: string, changes: object = {}) => ({ currency: USDT, issuer: ISSUER, value, ...changes });

interface Told {
  /** What the transaction says it would like to deliver. */
  amount?: unknown;
  delivered?: unknown;
  result?: string;
  validated?: boolean;
  tx?: object;
  at?: string;
}
/** Puts a payment there, and gives its hash. */
function put({ amount, delivered, result = 'tesSUCCESS', validated = true, tx = {}, at = AT }: Told): string {
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

const look = (txHash: string, changes: { symbol?: string; notBefore?: Date } = {}, given = settings()) =>
  createXrplVerifier(given).verify({
    txHash,
    symbol: 'usdt',
    recipient: LP,
    amount: '10.050000',
    notBefore: new Date(0),
    dueBy: null,
    ...changes,
  });
const invalid = (reason: RegExp) => ({ kind: 'invalid', reason: expect.stringMatching(reason) });

describe('a payment in an issued currency', () => {
  test('is verified in a validated ledger, by what was delivered', async () => {
    expect(await look(put({ delivered: usdt('10.05') }))).toEqual({
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

  test('that was partial is what arrived, and not what its Amount says', async () => {
    const partial = { amount: usdt('1000000'), delivered: usdt('0.000001'), tx: { Flags: 131_072 } };
    expect(await look(put(partial))).toEqual(invalid(/pays 0.000001, not 10.05/));
    const enough = { amount: usdt('1000000'), delivered: usdt('10.1'), tx: { Flags: 131_072 } };
    expect(await look(put(enough))).toMatchObject({ kind: 'verified', paid: '10.1' });
  });

  test('may be written with an exponent', async () => {
    expect(await look(put({ delivered: usdt('1005e-2') }))).toMatchObject({
      kind: 'verified',
      paid: '10.05',
    });
  });

  test('with a code of three letters is told apart by its case', async () => {
    const dollars = (currency: string) => put({ delivered: usdt('10.05', { currency }) });
    expect(await look(dollars('USD'), { symbol: 'usdc' })).toMatchObject({ kind: 'verified' });
    expect(await look(dollars('usd'), { symbol: 'usdc' })).toEqual(invalid(/pays no usdc/));
  });

  test.each<[string, Told, RegExp]>([
    ['too little', { delivered: usdt('10.049999') }, /pays 10.049999/],
    ['another issuer’s currency', { delivered: usdt('10.05', { issuer: STRANGER }) }, /pays no usdt/],
    ['another currency', { delivered: usdt('10.05', { currency: 'EUR' }) }, /pays no usdt/],
    ['XRP', { delivered: '10050000' }, /pays no usdt/],
    ['nobody knows what', { amount: usdt('10.05'), delivered: 'unavailable' }, /pays no usdt/],
    ['without saying what', { amount: usdt('10.05') }, /pays no usdt/],
    ['somebody else', { delivered: usdt('10.05'), tx: { Destination: STRANGER } }, /pays no usdt/],
    ['its own sender', { delivered: usdt('10.05'), tx: { Account: LP } }, /pays no usdt/],
    [
      'nothing, for want of a path',
      { delivered: usdt('10.05'), result: 'tecPATH_DRY' },
      /failed: tecPATH_DRY/,
    ],
    [
      'nothing, as it is an offer',
      { delivered: usdt('10.05'), tx: { TransactionType: 'OfferCreate' } },
      /is a OfferCreate/,
    ],
  ])('that pays %s is none', async (_what, told, reason) => {
    expect(await look(put(told))).toEqual(invalid(reason));
  });

  test('from before the order is none', async () => {
    const notBefore = new Date(Date.parse(AT) + 3_600_000);
    const hash = put({ delivered: usdt('10.05') });
    expect(await look(hash, { notBefore })).toEqual(invalid(/before what it should pay for/));
  });

  test('is pending until its ledger is validated, and not found before it is there', async () => {
    const hash = put({ delivered: usdt('10.05'), validated: false });
    expect(await look(hash)).toEqual({
      kind: 'pending',
      confirmations: 'ledger 94000001 is not validated',
    });
    expect(await look('ab'.repeat(32))).toEqual({ kind: 'not_found' });
  });
});

describe('a payment in XRP', () => {
  test('is counted in drops', async () => {
    const xrp = { symbol: 'xrp' };
    expect(await look(put({ delivered: '10050000' }), xrp)).toMatchObject({
      kind: 'verified',
      paid: '10.05',
    });
    expect(await look(put({ delivered: '10049999' }), xrp)).toEqual(invalid(/pays 10.049999/));
    expect(await look(put({ delivered: usdt('10.05') }), xrp)).toEqual(invalid(/pays no xrp/));
  });
});

describe('a server that fails', () => {
  test.each([
    ['noNetwork', /the server refused \(noNetwork\)/],
    ['slowDown', /the server refused \(slowDown\)/],
    ['hang', /no answer/],
  ])('with %s cannot be asked', async (error, message) => {
    const hash = put({ delivered: usdt('10.05') });
    server.fail(error);
    await expect(look(hash)).rejects.toThrow(message);
    await eventually(async () => server.connections() === 0);
  });

  test('of another network is not believed', async () => {
    server.networkId = 1;
    const hash = put({ delivered: usdt('10.05') });
    const failure = 'xrpl cannot be asked: its server is of network 1, not 0';
    await expect(look(hash)).rejects.toThrow(failure);
    expect(await look(hash, {}, settings({ networkId: 1 }))).toMatchObject({ kind: 'verified' });
  });

  test('that answers in another form is not believed', async () => {
    const hash = 'cd'.repeat(32);
    server.transactions.set(hash.toUpperCase(), { validated: true, TransactionType: 'Payment' });
    await expect(look(hash)).rejects.toThrow('xrpl cannot be asked: the server’s answer is of another form');
  });

  test('by not being there, or by not talking over WebSocket, says neither address nor key', async () => {
    const http = await startJsonServer(() => ({ json: {} }));
    try {
      for (const rpcUrl of [
        'ws://127.0.0.1:1/key-of-the-node',
        `${http.url.replace('http', 'ws')}/key-of-the-node`,
      ]) {
        const failure = await look('ab'.repeat(32), {}, settings({ rpcUrl })).then(
          () => undefined,
          (error: Error) => error,
        );
        expect(failure?.message).toMatch(/^xrpl cannot be asked: no connection/);
        expect(failure?.message).not.toMatch(/127\.0\.0\.1|key-of-the-node/);
      }
    } finally {
      await http.close();
    }
  });
});

test('an order is completed by a payment on the XRP Ledger, once it is validated', async () => {
  const corridor = await startCorridor({
    env: { SANDBOX: 'true', CHAIN_XRPL_RPC_URL: server.url, CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:USDT` },
  });
  const looks = await watchLooks(corridor);
  try {
    const agent = await newAgent(corridor);
    const asset = { symbol: 'usdt', chain: 'xrpl', address: LP };
    const lp = await lpOn(corridor, asset);
    const wrong = { ...asset, address: 'rMyLedgerAccount' };
    expect((await lp.call('POST', `/api/lp/${lp.key}/assets`, wrong)).status).toBe(400);

    const id = await confirmedOrder(agent, lp, { crypto_chain: 'xrpl' });
    const at = new Date().toISOString();
    const hash = put({ delivered: usdt('10.05'), validated: false, at });
    expect((await settle(agent, id, hash)).status).toBe(200);
    await eventually(async () => /ledger 94000001 is not validated/.test((await looks.last(id)) ?? ''));
    expect(await statusOf(agent, id)).toBe('crypto_verify_pending');
    const told = server.transactions.get(hash.toUpperCase());
    server.transactions.set(hash.toUpperCase(), { ...told, validated: true, close_time_iso: at });
    await eventuallyEquals(() => statusOf(agent, id), 'completed');
  } finally {
    await looks.close();
    await corridor.stop();
  }
});
