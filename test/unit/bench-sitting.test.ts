import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { type Circumstances, earlier, type Sitting, unmeasured } from '../../bench/sitting.ts';

const folder = mkdtempSync(join(tmpdir(), 'corridor-sitting-'));
afterAll(() => rmSync(folder, { recursive: true }));

const NOW: Circumstances = {
  commit: 'abc',
  machine: '2 cores',
  size: { alone: 1, together: 2, reads: 3 },
  partSize: {
    statements: 1,
    waves: 1,
    feedOrders: 1,
    deliverySeconds: 1,
    histories: 1,
    liveOrders: 1,
  },
};
const written = (name: string, sitting: Partial<Sitting>): string => {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify({ ...NOW, rounds: [], parts: [], ...sitting }));
  return file;
};
const history = (events: number) => ({ history: { events, tasks: 5 } });

describe('rounds of earlier runs', () => {
  test('count as if they were one run’s', () => {
    const files = [
      written('1', { parts: [history(38)] }),
      written('2', { parts: [history(39), history(40)] }),
    ];
    expect(earlier(files, NOW)).toEqual({ rounds: [], parts: [history(38), history(39), history(40)] });
    expect(earlier([], NOW)).toEqual({ rounds: [], parts: [] });
  });

  test.each<[string, Partial<Sitting>, RegExp]>([
    ['of other code', { commit: 'abd' }, /commit of .*other is "abd", and not "abc"/],
    ['of another machine', { machine: '64 cores' }, /machine of/],
    ['of another size', { size: { ...NOW.size, reads: 4 } }, /size of/],
  ])('%s do not', (_, difference, message) => {
    expect(() => earlier([written('other', difference)], NOW)).toThrow(message);
  });
});

test('parts that no round has measured are named', () => {
  const missing = unmeasured([history(38), {}]);
  expect(missing).toContain('sql');
  expect(missing).not.toContain('history');
});
