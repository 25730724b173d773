import { expect, test } from '@jest/globals';
import pino from 'pino';
import { promoteFirstRelease } from '../../src/service/worker/first-release.ts';
import { eventually } from '../support/eventually.ts';

const log = pino({ level: 'silent' });

test('the first release becomes current again after Temporal has lost its store, until the worker stops', async () => {
  const promoted: string[] = [];
  let current: string | null = null;
  let asked = 0;
  const releases = {
    promoteFirst: async (release: string) => {
      asked += 1;
      if (current !== null) return false;
      current = release;
      promoted.push(release);
      return true;
    },
  };
  const promotion = promoteFirstRelease({ releases, release: 'one', log, checkIntervalMs: 5 });
  await eventually(async () => promoted.length === 1);
  current = 'two';
  const before = asked;
  await eventually(async () => asked > before + 2);
  expect(promoted).toEqual(['one']);
  current = null;
  await eventually(async () => promoted.length === 2);
  await promotion.close();
  expect(promoted).toEqual(['one', 'one']);
});
