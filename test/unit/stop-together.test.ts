import { expect, test } from '@jest/globals';
import { stopTogether } from '../../src/process/stop-together.ts';

test('a part that hangs keeps no other one running', async () => {
  const stopped: string[] = [];
  let end = () => {};
  const hangs = new Promise<void>((resolve) => {
    end = resolve;
  });
  const all = stopTogether([() => hangs, async () => stopped.push('worker')]);
  expect(stopped).toEqual(['worker']);
  end();
  await all;
});

test('a failure is reported when all others have stopped', async () => {
  const stopped: string[] = [];
  const slow = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    stopped.push('slow');
  };
  const fails = (message: string) => async () => {
    throw new Error(message);
  };
  await expect(stopTogether([fails('no database'), slow])).rejects.toThrow('no database');
  expect(stopped).toEqual(['slow']);
  await expect(stopTogether([fails('one'), fails('two')])).rejects.toThrow(/one.*two/);
});
