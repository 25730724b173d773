import { expect, test } from '@jest/globals';
import { shownDepositStatus } from '../../src/domain/deposit-status.ts';

const END = new Date('2026-03-01T12:00:00.000Z');
const at = (ms: number) => new Date(END.getTime() + ms);

test('an announcement is shown as expired from its end on, unless it was confirmed', () => {
  expect(shownDepositStatus({ status: 'pending', expires_at: END }, at(-1))).toBe('pending');
  expect(shownDepositStatus({ status: 'pending', expires_at: END }, at(0))).toBe('expired');
  expect(shownDepositStatus({ status: 'confirmed', expires_at: END }, at(1))).toBe('confirmed');
});
