import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { NOTICE_TRIGGERS, SIGNAL_TRIGGERS } from '../../src/domain/order-commands.ts';
import { TRANSITIONS, type Transition } from '../../src/domain/order-state.ts';
import { testEnvironment } from '../support/environment.ts';
import { historyOf, type Landmark, landmarksOf, RECORDED, signalsOf } from './landmarks.ts';
import { PATHS } from './paths.ts';

/** Recorded histories replay to the same commands, so that running orders continue with this code. */
test.each(RECORDED)('the history %s replays', async (name) => {
  await Worker.runReplayHistory(
    { workflowBundle: { codePath: testEnvironment().bundlePath }, replayName: name },
    historyOf(name),
    `order-${name}`,
  );
});

test('a history that this code cannot produce does not replay', async () => {
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

test('every path has a history', () => {
  expect(Object.keys(PATHS).filter((name) => !RECORDED.includes(name))).toEqual([]);
});

test.each(Object.entries(PATHS))('the history %s reaches the end of its path', (name, { last }) => {
  expect(landmarksOf(historyOf(name)).at(-1)?.step).toBe(last);
});

const landmarks = RECORDED.flatMap((name) => landmarksOf(historyOf(name)));

test('together the histories take every transition of the table, including escalations', () => {
  const taken = ({ from, step, to, by }: Pick<Transition, 'from' | 'step' | 'to' | 'by'>) =>
    landmarks.some(
      (landmark) =>
        landmark.step === step &&
        landmark.result === 'applied' &&
        by.some((asker) => isSummary(landmark, `${from} → ${to}, asked by `, asker)),
    );
  const all = TRANSITIONS.flatMap((t) => {
    // An automatic claim runs as the LP.
    const one = t.trigger === 'autoClaim' ? { ...t, by: ['lp'] as const } : t;
    return one.escalation ? [one, { ...one, ...one.escalation }] : [one];
  });
  const missing = all.filter((one) => !taken(one));
  expect(missing.map(({ from, step, to, by }) => `${step}: ${from} → ${to} by ${by.join(' or ')}`)).toEqual(
    [],
  );
});

test('together the histories contain every signal, and the response to a lost race', () => {
  const received = new Set(RECORDED.flatMap((name) => signalsOf(historyOf(name))));
  const signals = [...SIGNAL_TRIGGERS, ...NOTICE_TRIGGERS];
  expect(signals.filter((signal) => !received.has(signal))).toEqual([]);
  expect(landmarks.find(({ step }) => step === 'answer')?.summary).toBe('order_not_claimable');
});

const isSummary = ({ summary }: Landmark, start: string, asker: string): boolean =>
  summary.startsWith(start) && summary.slice(start.length).split(':')[0] === asker;
