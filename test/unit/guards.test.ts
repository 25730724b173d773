import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { StepName } from '../../src/domain/order-state.ts';
import { STEPS } from '../../src/orders/steps/registry.ts';
import type { Step } from '../../src/orders/steps/shared/step.ts';
import { disable, type Guard } from '../guards/guard.ts';
import { type JestReport, judge } from '../guards/judge.ts';
import { CHECK_GUARDS } from '../guards/table/check-constraints.ts';
import { GUARDS } from '../guards/table/index.ts';
import { COVERED, STEP_CONDITIONS } from '../guards/table/step-conditions.ts';

/** `npm run test:guards` proves the table. These tests keep it up to date without running it. */
describe.each(GUARDS.map((guard) => [guard.name, guard] as const))('the guard "%s"', (_name, guard) => {
  test('is where the table says, once', () => {
    const source = readFileSync(guard.file, 'utf8');
    expect(disable(guard, source)).not.toBe(source);
  });
  test('has the attack that the table names', () => {
    const { file, name } = guard.attack;
    // The names of these tests are made from the same list.
    const written = CHECK_GUARDS.includes(guard) ? name.replace(/^\w+/, '%s') : name;
    expect(readFileSync(file, 'utf8')).toContain(written);
  });
});

test('each condition of a step has a guard, or something else covers it', () => {
  const conditions = Object.values(STEPS).flatMap(({ where = [] }: Step) => where);
  expect(new Set(STEP_CONDITIONS.map(({ without }) => without)).size).toBe(STEP_CONDITIONS.length);
  expect(STEP_CONDITIONS.length + Object.values(COVERED).flat().length).toBe(conditions.length);
  for (const [step, covered] of Object.entries(COVERED))
    expect(STEPS[step as StepName].where).toEqual(expect.arrayContaining([...covered]));
});

test('no two guards have the same name', () => {
  expect(new Set(GUARDS.map(({ name }) => name)).size).toBe(GUARDS.length);
});

describe('a guard', () => {
  const guard: Guard = {
    name: 'a guard',
    file: 'src/some.ts',
    text: 'if (bad) refuse();',
    without: "'$&'",
    attack: { file: 'test/some.test.ts', name: 'is refused' },
  };
  test('is replaced as the table says, even if the text has a meaning in a pattern', () => {
    expect(disable(guard, 'a; if (bad) refuse(); b;')).toBe("a; '$&' b;");
  });
  test.each(['', 'if (bad) refuse(); if (bad) refuse();'])('that has moved is an error: %j', (source) => {
    expect(() => disable(guard, source)).toThrow(
      /^The guard has moved: the text of "a guard" occurs [02] times/,
    );
  });

  const report = (
    tests: [fullName: string, status: string, ...failures: string[]][],
    message = '',
  ): JestReport => ({
    testResults: [
      {
        name: '/tmp/project/test/some.test.ts',
        message,
        assertionResults: tests.map(([fullName, status, ...failureMessages]) => ({
          fullName,
          status,
          failureMessages,
        })),
      },
    ],
  });
  const MATCHER =
    'Error: \u001b[2mexpect(\u001b[22mreceived).toBe(expected)\n\nExpected: 1\nReceived: 2\n  at x';

  test.each<[string, JestReport, string]>([
    ['passes', report([['a claim is refused', 'passed']]), 'passed'],
    ['fails for an assertion', report([['a claim is refused', 'failed', MATCHER]]), 'failed'],
    [
      'gets another status',
      report([['it is refused', 'failed', 'Error: expected 409, the API answered 200: {}']]),
      'failed',
    ],
    [
      'waits until the timeout',
      report([['it is refused', 'failed', 'Error: expected matched within 60000 ms, last saw claimed']]),
      'failed',
    ],
    [
      'crashes',
      report([['it is refused', 'failed', 'Error: claim takes lpId, and was given lpId, version']]),
      'crashed',
    ],
    ['does not start', report([], 'SyntaxError: Unexpected token'), 'not run'],
    ['is skipped', report([['it is refused', 'pending']]), 'not run'],
    ['is not the one that fails', report([['it is accepted', 'failed', MATCHER]]), 'not run'],
    ['is in a file that did not run', { testResults: [] }, 'not run'],
  ])('whose attack %s is judged', (_what, given, kind) => {
    expect(judge(given, guard).kind).toBe(kind);
  });

  test('shows what the assertion expected and received', () => {
    expect(judge(report([['it is refused', 'failed', MATCHER]]), guard).detail).toBe(
      'expect(received).toBe(expected)  Expected: 1  Received: 2',
    );
  });
});
