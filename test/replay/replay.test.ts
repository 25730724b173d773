import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { testEnvironment } from '../support/environment.ts';
import { PATHS } from './paths.ts';

/** Orders that began on older code go on with this one: their recorded histories replay to the same commands. */
const folder = new URL('./histories/', import.meta.url);
const names = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));
const historyOf = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'));

// Those of `PATHS`, and some that storms of faults have left behind, on which earlier code has failed.
test.each(names)('an order that is %s replays', async (name) => {
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: testEnvironment().bundlePath }, replayName: name },
    historyOf(name),
    `order-${name}`,
  );
});

test('a history that the code would not have made does not replay', async () => {
  const changed = JSON.parse(
    JSON.stringify(historyOf('never-claimed')).replaceAll(
      'EVENT_TYPE_TIMER_STARTED',
      'EVENT_TYPE_TIMER_CANCELED',
    ),
  );
  await expect(
    Worker.runReplayHistory(
      { workflowBundle: { codePath: testEnvironment().bundlePath } },
      changed,
      'order-1',
    ),
  ).rejects.toThrow();
});

test('there is a history of every path', () => {
  expect(Object.keys(PATHS).filter((name) => !names.includes(name))).toEqual([]);
});
