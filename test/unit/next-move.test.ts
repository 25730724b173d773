import { expect, test } from '@jest/globals';
import type { OrderState } from '../../src/domain/order-state.ts';
import { nextMove } from '../../src/operations/diagnosis/next-move.ts';

const order = (changes: Partial<OrderState>): OrderState => ({
  ...{ version: 3, status: 'matched', lpId: 7, excludedLpIds: [], txHash: null, rejectedTxHashes: [] },
  ...{
    reoffers: 0,
    rejections: 0,
    replacements: 0,
    timeoutAt: '2026-03-01T09:00:00.000Z',
    frozenMs: null,
    slashedUsd: null,
  },
  ...changes,
});
const next = (changes: Partial<OrderState>, hasReceipt = false) =>
  nextMove(order(changes), { agentKeyId: 3, chain: 'trx', hasReceipt });

test.each<[Partial<OrderState>, string, string, string | null]>([
  [{}, 'lp', 'an LP has to claim it', 'cancelled'],
  [{ status: 'claimed' }, 'lp', 'LP 7 has to send the fiat', 'matched'],
  [{ status: 'claimed', reoffers: 2 }, 'lp', 'LP 7 has to send the fiat', 'cancelled'],
  [{ status: 'fiat_sent' }, 'agent', 'agent key 3 has to confirm that the fiat has arrived', 'disputed'],
  [
    { status: 'confirmed' },
    'agent',
    'agent key 3 has to pay LP 7 on trx and settle with the transaction',
    'disputed',
  ],
  [
    { status: 'crypto_verify_pending', txHash: 'feed' },
    'chain',
    'transaction feed has to be final on trx',
    'disputed',
  ],
  [{ status: 'disputed', timeoutAt: null }, 'admin', 'an admin has to resolve the dispute', null],
  [{ status: 'claimed', timeoutAt: null, frozenMs: 9 }, 'admin', 'an admin has to unfreeze it', null],
])('%j', (changes, waitingFor, what, otherwise) => {
  expect(next(changes)).toEqual({ waitingFor, what, dueAt: order(changes).timeoutAt, otherwise });
});

test('an order with a receipt is not offered again, but goes to an admin', () => {
  expect(next({ status: 'claimed' }, true)?.otherwise).toBe('disputed');
  expect(next({ status: 'claimed', reoffers: 2 }, true)?.otherwise).toBe('disputed');
  expect(next({ status: 'fiat_sent' }, true)?.otherwise).toBe('disputed');
});

test.each(['completed', 'cancelled'] as const)('nobody needs to act on an order that is %s', (status) => {
  expect(next({ status, timeoutAt: null })).toBeNull();
});
