import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type BenchRun, type Conditions, readRounds, unmeasured } from '../../bench/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'corridor-run-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW: Conditions = {
  commit: 'abc',
  machine: '2 cores',
  size: { warmUp: 6, alone: 1, claims: 2, together: 3, paced: 4, reads: 5 },
  partSize: {
    statements: 1,
    waves: 1,
    feedOrders: 1,
    deliverySeconds: 1,
    histories: 1,
    liveOrders: 1,
  },
};
const written = (name: string, run: Partial<BenchRun>): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ ...NOW, rounds: [], parts: [], ...run }));
  return file;
};
const history = (events: number) => ({ history: { events, tasks: 5 } });

describe('rounds of earlier runs', () => {
  test('are combined', () => {
    const files = [
      written('1', { parts: [history(38)] }),
      written('2', { parts: [history(39), history(40)] }),
    ];
    expect(readRounds(files, NOW)).toEqual({ rounds: [], parts: [history(38), history(39), history(40)] });
    expect(readRounds([], NOW)).toEqual({ rounds: [], parts: [] });
  });

  test.each<[string, Partial<BenchRun>, RegExp]>([
    ['of another commit', { commit: 'abd' }, /commit of .*other is "abd", but this run has "abc"/],
    ['of another machine', { machine: '64 cores' }, /machine of/],
    ['of another size', { size: { ...NOW.size, reads: 4 } }, /size of/],
  ])('%s are refused', (_, difference, message) => {
    expect(() => readRounds([written('other', difference)], NOW)).toThrow(message);
  });
});

test('unmeasured lists the parts that no round has measured', () => {
  const missing = unmeasured([history(38), {}]);
  expect(missing).toContain('sql');
  expect(missing).not.toContain('history');
});
