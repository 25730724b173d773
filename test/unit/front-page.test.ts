import { expect, test } from '@jest/globals';
import { frontPage } from '../../src/api/pages/front.ts';

test.each([
  [{ sandbox: true, chains: {} }, 'Sandbox', 'It simulates every chain, so no crypto moves.'],
  [
    { sandbox: true, chains: { base: {}, trx: {} } },
    'Sandbox',
    'payments on Tron and Base are real, and it simulates the other chains.',
  ],
  [{ sandbox: false, chains: { xrpl: {} } }, 'Live', 'It takes payments on XRP Ledger.'],
  [{ sandbox: false, chains: { trx: {}, eth: {}, base: {} } }, 'Live', 'on Tron, Ethereum and Base.'],
])('the front page of %j says which payments are real', (installation, badge, sentence) => {
  const page = frontPage(installation);
  expect(page).toContain(`>${badge}</span>`);
  expect(page).toContain(sentence);
});
