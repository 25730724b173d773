import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/process/log.ts';
import { keepCredentialsFresh } from '../../src/settings/connection-options.ts';

/** A connection that only notes that it was closed. */
function connection() {
  let isClosed = false;
  return {
    isClosed: () => isClosed,
    close: async () => {
      isClosed = true;
    },
  };
}
type Opened = ReturnType<typeof connection>;

function fresh(first: Opened) {
  const opening: PromiseWithResolvers<Opened>[] = [];
  const used: Opened[] = [];
  const kept = keepCredentialsFresh({ address: '127.0.0.1:1' }, first, {
    open: () => {
      const next = Promise.withResolvers<Opened>();
      opening.push(next);
      return next.promise;
    },
    use: (next) => used.push(next),
    log: createLogger('silent'),
  });
  return { ...kept, opening, used };
}

test('a connection that opens only after the close is closed and not used', async () => {
  const [first, next] = [connection(), connection()];
  const { replace, close, opening, used } = fresh(first);
  const replacing = replace();
  await close();
  expect(first.isClosed()).toBe(true);
  opening[0]?.resolve(next);
  await replacing;
  expect(next.isClosed()).toBe(true);
  expect(used).toEqual([]);
});

test('the close closes the connection that replaced the first one', async () => {
  const [first, next] = [connection(), connection()];
  const { replace, close, opening, used } = fresh(first);
  const replacing = replace();
  opening[0]?.resolve(next);
  await replacing;
  expect(used).toEqual([next]);
  await close();
  expect(next.isClosed()).toBe(true);
});

test('two requests at the same time open one connection, and one after a failure opens another', async () => {
  const { replace, close, opening, used } = fresh(connection());
  const both = [replace(), replace()];
  expect(opening).toHaveLength(1);
  opening[0]?.reject(new Error('nobody answers'));
  await Promise.all(both);
  expect(used).toEqual([]);
  const again = replace();
  expect(opening).toHaveLength(2);
  opening[1]?.resolve(connection());
  await again;
  expect(used).toHaveLength(1);
  await close();
});
