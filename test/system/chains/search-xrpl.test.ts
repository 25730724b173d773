import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { classicAddressToXAddress } from 'ripple-address-codec';
import { expectStatus } from '../../../dev/http-client.ts';
import { createXrplVerifier } from '../../../src/adapters/chain-xrpl.ts';
import type { ExpectedTransfer } from '../../../src/adapters/ports.ts';
import { newLp } from '../../support/actors.ts';
import { startCorridor } from '../../support/corridor.ts';
import { startXrplServer, type XrplServer } from '../../support/xrpl-server.ts';

const PLATFORM = 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh';
const COLD = 'rJ2BeYMXK5zmQSnsRGbL4iqsy9Pw8YVeow';
const PAYER = 'rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe';
const ISSUER = 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B';
const STRANGER = 'rrrrrrrrrrrrrrrrrrrrBZbvji';
/** "USDT" in the ledger's form for names of more than three letters. */
const USDT = '5553445400000000000000000000000000000000';
const AT = Date.UTC(2026, 2, 1);

let server: XrplServer;
beforeAll(async () => {
  server = await startXrplServer();
});
beforeEach(() => {
  server.fail(undefined);
  server.transactions.clear();
  server.received.length = 0;
});
afterAll(() => server?.close());

interface Made {
  issuer?: string;
  result?: string;
  validated?: boolean;
  tx?: object;
  at?: number;
  /** The Amount that the transaction names. */
  amount?: string;
}
/** Adds a payment to the server, and returns its hash. */
function put(
  value: string,
  { issuer = ISSUER, validated = true, tx = {}, at = AT, ...more }: Made = {},
): string {
  const hash = randomBytes(32).toString('hex');
  const delivered = { currency: USDT, issuer, value };
  server.transactions.set(hash.toUpperCase(), {
    validated,
    ledger_index: 94_000_001,
    close_time_iso: new Date(at).toISOString(),
    tx_json: {
      ...{ TransactionType: 'Payment', Account: PAYER, Destination: PLATFORM, Fee: '12' },
      ...{ DeliverMax: { ...delivered, value: more.amount ?? value } },
      ...tx,
    },
    meta: { TransactionResult: more.result ?? 'tesSUCCESS', delivered_amount: delivered },
  });
  return hash;
}
const find = (changes: Partial<ExpectedTransfer> = {}) =>
  createXrplVerifier({
    rpcUrl: server.url,
    networkId: 0,
    tokens: { usdt: { issuer: ISSUER, currency: USDT } },
    depositAddress: PLATFORM,
    reserveAddresses: [COLD],
  }).findTransfer({
    ...{ symbol: 'usdt', recipient: PLATFORM, destinationTag: null },
    ...{ amount: '10.05', notBefore: new Date(AT), platformMaySend: false },
    ...changes,
  });
const searches = () => server.received.filter(({ command }) => command === 'account_tx');
const NOT_FOUND = { kind: 'not_found' };

describe('a payment without a hash', () => {
  test('is found by what was delivered, in validated ledgers', async () => {
    const hash = put('10.05');
    put('10.050001');
    put('10.05', { tx: { Destination: STRANGER } });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    expect(searches()).toMatchObject([{ account: PLATFORM, api_version: 2 }]);
    expect(await find({ amount: '10.06' })).toEqual(NOT_FOUND);
  });

  test('is not found among those that the platform sends to itself', async () => {
    const hash = put('10.05');
    put('10.05', { tx: { Account: COLD }, at: AT + 1_000 });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    server.transactions.delete(hash.toUpperCase());
    expect(await find()).toEqual(NOT_FOUND);
  });

  test.each<[string, string, Made]>([
    ['delivered less than it says', '0.000001', { amount: '10.05' }],
    ['failed', '10.05', { result: 'tecPATH_DRY' }],
    ['is of another issuer', '10.05', { issuer: STRANGER }],
    ['is the account’s own', '10.05', { tx: { Account: PLATFORM, Destination: PAYER } }],
    ['is no payment', '10.05', { tx: { TransactionType: 'CheckCash' } }],
    ['has a tag although none was expected', '10.05', { tx: { DestinationTag: 7 } }],
    ['is from before the announcement', '10.05', { at: AT - 1_000 }],
  ])('that %s is not found', async (_what, value, made) => {
    put(value, made);
    expect(await find()).toEqual(NOT_FOUND);
  });

  test('is found by its destination tag', async () => {
    put('10.05', { tx: { DestinationTag: 8 } });
    const hash = put('10.05', { tx: { DestinationTag: 7 } });
    put('10.05');
    expect(await find({ destinationTag: 7 })).toEqual({ kind: 'found', txHash: hash });
  });

  test('in XRP is also found', async () => {
    const hash = put('0');
    Object.assign(server.transactions.get(hash.toUpperCase()) ?? {}, {
      meta: { TransactionResult: 'tesSUCCESS', delivered_amount: '10050000' },
    });
    expect(await find({ symbol: 'xrp' })).toEqual({ kind: 'found', txHash: hash });
  });

  test('is found on a later page. A search ends at the announcement, and requests at most five pages', async () => {
    const hash = put('10.05');
    for (let i = 1; i <= 450; i++) put('1', { at: AT + i * 1_000 });
    expect(await find()).toEqual({ kind: 'found', txHash: hash });
    expect(searches()).toHaveLength(3);
    expect(await find({ notBefore: new Date(AT + 400_000) })).toEqual(NOT_FOUND);
    expect(searches()).toHaveLength(4);
    for (let i = 451; i <= 1_000; i++) put('1', { at: AT + i * 1_000 });
    expect(await find()).toMatchObject({
      kind: 'not_searchable',
      reason: expect.stringMatching(/no further/),
    });
    expect(searches()).toHaveLength(9);
  });
});

describe('a server', () => {
  test('without the account has no payment yet', async () => {
    server.failCommand('account_tx', 'actNotFound');
    expect(await find()).toEqual(NOT_FOUND);
  });

  test.each(['unknownCmd', 'noPermission'])('that answers %s cannot be searched', async (error) => {
    server.failCommand('account_tx', error);
    expect(await find()).toEqual({
      kind: 'not_searchable',
      reason: 'the chain’s node cannot be searched for transfers',
    });
  });

  test('that is busy is an error', async () => {
    server.failCommand('account_tx', 'slowDown');
    await expect(find()).rejects.toThrow('the server refused (slowDown)');
  });
});

test('a deposit on the XRP Ledger is credited without a hash, by the platform’s tag', async () => {
  const corridor = await startCorridor({
    worker: false,
    env: {
      SANDBOX: 'true',
      CHAIN_XRPL_RPC_URL: server.url,
      CHAIN_XRPL_TOKENS: `usdt:${ISSUER}:USDT`,
      CHAIN_XRPL_DEPOSIT_ADDRESS: classicAddressToXAddress(PLATFORM, 99, false),
    },
  });
  try {
    const lp = await newLp(corridor, { asset: false, collateral: 0 });
    const path = `/api/lp/${lp.key}/collateral`;
    const body = { amount: 100, asset: 'usdt', chain: 'xrpl' };
    const { deposit_id, pay_to } = await expectStatus(200, lp.call('POST', `${path}/deposit`, body));
    const confirm = () => lp.call('POST', `${path}/${deposit_id}/confirm`, {});
    put(String(pay_to.amount), { at: Date.now(), tx: { DestinationTag: 98 } });
    expect((await confirm()).body.error).toMatch(
      new RegExp(`^No transfer of exactly ${pay_to.amount} usdt has arrived`),
    );
    put(String(pay_to.amount), { at: Date.now(), tx: { DestinationTag: pay_to.destination_tag } });
    expect((await confirm()).status).toBe(200);
    const { balance } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/balance`));
    expect(balance.available).toBe(pay_to.amount);
  } finally {
    await corridor.stop();
  }
});
