import { expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.ts';

test('a port that was chosen is not chosen again, although no program listens on it yet', async () => {
  const chosen = new Set<number>();
  // Otherwise about fifty of these ports would be chosen twice.
  for (let port = 0; port < 1_500; port++) chosen.add(await freePort());
  expect(chosen.size).toBe(1_500);
});
