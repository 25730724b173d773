import { describe, expect, test } from '@jest/globals';
import { ACCOUNTS } from '../../src/db/ledger/accounts.ts';
import { invalidField } from '../../src/domain/errors.ts';
import { FINDINGS } from '../../src/domain/order-commands.ts';
import { nextOf, readActor } from '../../src/domain/order-history.ts';
import { ORDER_STATUSES, STATUS_FACTS } from '../../src/domain/order-state.ts';
import { isFinding, isUndecided } from '../../src/domain/order-steps.ts';

describe('who moved an order', () => {
  test('is logged by kind, and with an id only for an LP', () => {
    expect(readActor('agent:3')).toEqual({ actor: 'agent', lp_id: null });
    expect(readActor('lp:7')).toEqual({ actor: 'lp', lp_id: 7 });
    expect(readActor('admin:3')).toEqual({ actor: 'admin', lp_id: null });
    expect(readActor('service')).toEqual({ actor: 'service', lp_id: null });
  });

  test.each(['', 'payer', 'LP:7', ':7'])('cannot be %p', (actor) => {
    expect(() => readActor(actor)).toThrow(RangeError);
  });
});

describe('the actor that an order waits for', () => {
  const due = new Date('2026-11-21T12:00:00.000Z');

  test.each(ORDER_STATUSES)('while it is %s, and until when', (status) => {
    const { waitingFor, stage } = STATUS_FACTS[status];
    const next = nextOf({ status, timeout_at: stage ? due : null });
    if (waitingFor === 'nobody') expect(next).toBeNull();
    else expect(next).toEqual({ waiting_for: waitingFor, due_at: stage ? due.toISOString() : null });
  });

  test('is an admin while the clock is stopped', () => {
    expect(nextOf({ status: 'claimed', frozen_ms: 1_000 })).toEqual({ waiting_for: 'admin', due_at: null });
    expect(nextOf({ status: 'claimed', frozen_ms: 0 })).toEqual({ waiting_for: 'admin', due_at: null });
    expect(nextOf({ status: 'claimed', frozen_ms: null, timeout_at: due })).toMatchObject({
      waiting_for: 'lp',
    });
  });
});

test('an LP’s three accounts are no other’s, and none of the service’s', () => {
  const { lpAvailable, lpLocked, lpWithdrawing, ...service } = ACCOUNTS;
  const accounts = [1, 11, 111].flatMap((id) => [lpAvailable(id), lpLocked(id), lpWithdrawing(id)]);
  expect(new Set([...accounts, ...Object.values(service)]).size).toBe(9 + 3);
});

test('a field that only a handler can check is refused like one that the schema checks', () => {
  expect(invalidField('cursor', 'Not a cursor')).toMatchObject({
    code: 'validation_failed',
    details: { fieldErrors: { cursor: ['Not a cursor'] }, formErrors: [] },
  });
});

test('an undecided request is decided again, and a refusal is an answer', () => {
  expect((['stale', ...FINDINGS, 'not_yet', 'clock_stopped'] as const).map(isUndecided)).toEqual(
    Array(FINDINGS.length + 3).fill(true),
  );
  const answers = ['applied', 'already', 'insufficient_collateral', 'wrong_state'] as const;
  expect(answers.map(isUndecided)).toEqual([false, false, false, false]);
  expect(FINDINGS.every(isFinding)).toBe(true);
  expect((['stale', 'applied', 'receipt_uploaded'] as const).map(isFinding)).toEqual([false, false, false]);
});
