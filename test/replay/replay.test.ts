import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { SIGNAL_TRIGGERS } from '../../src/domain/order-commands.ts';
import { TRANSITIONS, type Transition } from '../../src/domain/order-state.ts';
import { OFFER_SIGNAL } from '../../workflows/messages.ts';
import { testEnvironment } from '../support/environment.ts';
import { historyOf, type Landmark, landmarksOf, RECORDED, signalsOf } from './landmarks.ts';
import { PATHS } from './paths.ts';

/** Orders that began on older code go on with this one: their recorded histories replay to the same commands. */

// Those of `PATHS`, and some that storms of faults have left behind, on which earlier code has failed.
test.each(RECORDED)('an order that is %s replays', async (name) => {
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
  expect(Object.keys(PATHS).filter((name) => !RECORDED.includes(name))).toEqual([]);
});

test.each(Object.entries(PATHS))('the history of %s goes to the end of its path', (name, { last }) => {
  expect(landmarksOf(historyOf(name)).at(-1)?.step).toBe(last);
});

const landmarks = RECORDED.flatMap((name) => landmarksOf(historyOf(name)));

test('between them the histories take every transition of the table, the escalations too', () => {
  const taken = ({ from, step, to, by }: Pick<Transition, 'from' | 'step' | 'to' | 'by'>) =>
    landmarks.some(
      (landmark) =>
        landmark.step === step &&
        landmark.result === 'applied' &&
        by.some((asker) => isSummary(landmark, `${from} → ${to}, asked by `, asker)),
    );
  const all = TRANSITIONS.flatMap((t) => {
    // What an LP wants to be done by itself is done in its name.
    const one = t.trigger === 'autoClaim' ? { ...t, by: ['lp'] as const } : t;
    return one.escalation ? [one, { ...one, ...one.escalation }] : [one];
  });
  const missing = all.filter((one) => !taken(one));
  expect(missing.map(({ from, step, to, by }) => `${step}: ${from} → ${to} by ${by.join(' or ')}`)).toEqual(
    [],
  );
});

test('between them they are told everything that a workflow is told, and answer who lost a race', () => {
  const told = new Set(RECORDED.flatMap((name) => signalsOf(historyOf(name))));
  const signals = [...SIGNAL_TRIGGERS, 'refresh', 'redeliver', OFFER_SIGNAL];
  expect(signals.filter((signal) => !told.has(signal))).toEqual([]);
  expect(landmarks.find(({ step }) => step === 'answer')?.summary).toBe('order_not_claimable');
});

const isSummary = ({ summary }: Landmark, start: string, asker: string): boolean =>
  summary.startsWith(start) && summary.slice(start.length).split(':')[0] === asker;
