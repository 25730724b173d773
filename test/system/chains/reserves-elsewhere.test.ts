import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { classicAddressToXAddress } from 'ripple-address-codec';
import { createTronVerifier } from '../../../src/adapters/chain-tron.ts';
import { createXrplVerifier } from '../../../src/adapters/chain-xrpl.ts';
import type { Chains } from '../../../src/adapters/ports.ts';
import { reserveReport } from '../../../src/operations/diagnosis/reserves.ts';
import { checkReserves } from '../../../src/operations/upkeep/jobs/check-reserves.ts';
import { createLogger } from '../../../src/process/log.ts';
import { type Books, openBooks } from '../../support/books.ts';
import { startTronNode, type TronNode, tronAddress } from '../../support/tron-node.ts';
import { startXrplServer, trustLine, type XrplServer } from '../../support/xrpl-server.ts';

/** Reserves on Tron and the XRP Ledger, with servers that answer as the nodes' documentation says. */

const [TOKEN, PLATFORM, COLD] = [1, 2, 3].map(() => randomBytes(20).toString('hex')) as [
  string,
  string,
  string,
];
const [ACCOUNT, ISSUER] = ['rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', 'rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B'];
const USDT = '5553445400000000000000000000000000000000';

let books: Books;
let tron: TronNode;
let xrpl: XrplServer;
beforeAll(async () => {
  books = await openBooks();
  tron = await startTronNode(6);
  xrpl = await startXrplServer();
  await books.deposit(await books.newLp(), '100');
});
afterAll(async () => {
  await books?.db.close();
  await tron?.server.close();
  await xrpl?.close();
});

const log = createLogger('silent');
async function results(chains: Chains, rounds: number): Promise<string[]> {
  const seen: string[] = [];
  for (let round = 0; round < rounds; round++) {
    // Shorter than the duration of a comparison, so that each comparison is due.
    await checkReserves({ db: books.db, chains, log, interval: 0.001 });
    seen.push((await reserveReport(books.db)).result);
  }
  return seen;
}

describe('on Tron', () => {
  const chains = (reserveAddresses: string[] = []): Chains =>
    new Map([
      [
        'trx',
        createTronVerifier({
          ...{ rpcUrl: tron.server.url, apiKey: null, reserveAddresses },
          tokens: { usdt: { contract: tronAddress(TOKEN), decimals: 6 } },
          depositAddress: tronAddress(PLATFORM),
        }),
      ],
    ]);

  test('the comparison covers what is owed, what is missing, and what a cold wallet holds', async () => {
    tron.balances.set(PLATFORM, 100_000_000n);
    expect(await results(chains(), 2)).toEqual(['covered', 'covered']);
    tron.balances.set(PLATFORM, 99_999_999n);
    expect(await results(chains(), 2)).toEqual(['unconfirmed', 'short']);
    tron.balances.set(COLD, 1n);
    expect(await results(chains([tronAddress(COLD)]), 1)).toEqual(['covered']);
  });

  test('a node that does not answer proves nothing', async () => {
    tron.balances.set(PLATFORM, 0n);
    tron.server.answer(() => ({ status: 503, text: '' }));
    expect(await results(chains(), 3)).toEqual(['unknown', 'unknown', 'unknown']);
    tron.server.answer(tron.serve);
  });
});

describe('on the XRP Ledger', () => {
  const chains = (depositAddress: string, reserveAddresses: string[] = []): Chains =>
    new Map([
      [
        'xrpl',
        createXrplVerifier({
          ...{ rpcUrl: xrpl.url, networkId: 0, depositAddress, reserveAddresses },
          tokens: { usdt: { issuer: ISSUER, currency: USDT } },
        }),
      ],
    ]);
  const holds = (value: string) =>
    xrpl.trustLines.set(trustLine([ACCOUNT, ISSUER], USDT), { low: ACCOUNT, value });

  test('what is owed, what is missing, and a server that does not answer', async () => {
    holds('100');
    expect(await results(chains(ACCOUNT), 2)).toEqual(['covered', 'covered']);
    holds('99.999999');
    expect(await results(chains(ACCOUNT), 2)).toEqual(['unconfirmed', 'short']);
    xrpl.fail('slowDown');
    expect(await results(chains(ACCOUNT), 2)).toEqual(['unknown', 'unknown']);
    xrpl.fail(undefined);
  });

  test('the account of a deposit address with a tag may be an exchange’s, unless it is a reserve address', async () => {
    holds('1000000000');
    const tagged = classicAddressToXAddress(ACCOUNT, 7, false);
    expect(await results(chains(tagged), 3)).toEqual(['not_compared', 'not_compared', 'not_compared']);
    expect(await results(chains(tagged, [ACCOUNT]), 1)).toEqual(['covered']);
    holds('99');
    expect(await results(chains(tagged, [ACCOUNT]), 2)).toEqual(['unconfirmed', 'short']);
  });
});
