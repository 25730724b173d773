import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { ADVISORY_LOCKS } from '../../src/db/advisory-locks.ts';

test('each advisory lock has an id of its own, and SQL files use the same ids', () => {
  const ids = Object.values(ADVISORY_LOCKS);
  expect(new Set(ids).size).toBe(ids.length);
  const inFiles = globSync('src/db/migrations/*.sql').flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/advisory\w*lock\((\d+)\)/g)].map(([, id]) => Number(id)),
  );
  expect(inFiles).toEqual([ADVISORY_LOCKS.audit]);
});
