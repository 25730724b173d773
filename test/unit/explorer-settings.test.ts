import { expect, test } from '@jest/globals';
import { loadConfig } from '../../src/settings/config.ts';

const explorersOf = (EXPLORER_URLS: string) => loadConfig({ EXPLORER_URLS }).explorers;

test('each chain has a page for transactions, one for addresses, both or none', () => {
  expect(explorersOf('')).toEqual({});
  const tron = 'https://tronscan.org/#';
  expect(
    explorersOf(
      `trx=${tron}/transaction/{tx}, trx=${tron}/address/{address},eth=http://scan.local:4000/?q={tx}`,
    ),
  ).toEqual({
    trx: { tx: `${tron}/transaction/{tx}`, address: `${tron}/address/{address}` },
    eth: { tx: 'http://scan.local:4000/?q={tx}', address: null },
  });
});

test.each([
  'https://tronscan.org/{tx}',
  'btc=https://scan.example/{tx}',
  'trx=https://scan.example/',
  'trx=https://scan.example/{hash}',
  'trx=https://scan.example/{tx}/{address}',
  'trx=https://{tx}.example/',
  'trx=https://scan.example{tx}/',
  'trx=https://{tx}@scan.example/',
  'trx=javascript://scan.example/%0aalert(1)//{tx}',
  'trx=data:text/html,{tx}',
  'trx=//scan.example/{tx}',
  'trx=https://scan.example/{tx},trx=https://other.example/{tx}',
])('%s stops the start', (text) => {
  expect(() => explorersOf(text)).toThrow('EXPLORER_URLS must be chain=URL');
});
