import { expect, test } from '@jest/globals';
import { freePort, LOWEST_PORT } from '../../src/process/free-port.ts';

test('a port that was chosen is not chosen again, although no program listens on it yet', async () => {
  const chosen = new Set<number>();
  // Otherwise about fifty of these ports would be chosen twice.
  for (let port = 0; port < 1_500; port++) chosen.add(await freePort());
  expect(chosen.size).toBe(1_500);
});

test('fetch refuses no port of the range', async () => {
  const refused = (port: number) =>
    fetch(`http://127.0.0.1:${port}`).then(
      () => false,
      (error: Error) => (error.cause as Error).message === 'bad port',
    );
  expect(await refused(LOWEST_PORT - 1)).toBe(true);
  for (let port = LOWEST_PORT; port < LOWEST_PORT + 100; port++) expect(await refused(port)).toBe(false);
});
