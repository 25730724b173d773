import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';

/**
 * One term for one thing. Each of these words was once used for something that has a standard term, which stands beside
 * it. The test reads identifiers and file names, not prose.
 */
const REPLACED: Record<string, string> = {
  patient: 'retrying',
  swift: 'recently fast',
  gather: 'batch',
  gathered: 'batched',
  pulse: 'service heartbeat',
  beat: 'heartbeat',
  beats: 'heartbeats',
  beating: 'heartbeat',
  presence: 'process heartbeat',
  belief: 'observed state',
  beliefs: 'observed state',
  believed: 'observed',
  believes: 'observes',
  hindrance: 'blocker',
  hindrances: 'blockers',
  rehearse: 'dry run',
  rehearsed: 'dry run',
  rehearsal: 'dry run',
  remind: 'the name of the job',
  reminder: 'the name of the job',
  reminders: 'the name of the job',
  shares: 'concurrency limit',
  told: 'reported, sent, returned or logged',
  tell: 'report, send, return or log',
  tells: 'reports, sends, returns or logs',
  telling: 'reporting',
  whoever: 'caller, LP, agent or client',
  deed: 'action',
  deeds: 'actions',
  lives: 'lifecycles',
  cast: 'actors',
  theatre: 'runner',
  sitting: 'run',
  contestant: 'alternative',
  contestants: 'alternatives',
};

/** The same for names of several words, and for words that a library or the contract also uses. */
const REPLACED_NAMES: [RegExp, string][] = [
  [/let_down/, 'failed claim'],
  [/take_back|took_back|taken_back/, 'reoffer'],
  [/at_once/, 'inline'],
  [/(^|_)fire(d|s)?(_|$)(?!at$)/, 'expire now'],
  [/(^|_)slices?(_|$)/, 'locked collateral'],
  [/(^|_)floors?(_|$)/, 'baseline'],
];

/** Methods of JavaScript's own objects, names of Temporal and decimal.js, and fields of public JSON. */
const KEPT = new Set([
  ...['slice', 'floor', 'ROUND_FLOOR', 'timerFiredEventAttributes'],
  ...['let_down', 'fired_at'],
]);

const FILES = execFileSync(
  'git',
  ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((file) => file !== '' && file !== 'test/unit/terms.test.ts' && existsSync(file));

/** `liveLives` and `live-lives` are both `live_lives`. */
const snakeCase = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

function replacementFor(name: string): string | undefined {
  if (KEPT.has(name)) return undefined;
  const snake = snakeCase(name);
  const word = snake.split('_').find((part) => Object.hasOwn(REPLACED, part));
  if (word !== undefined) return REPLACED[word];
  return REPLACED_NAMES.find(([pattern]) => pattern.test(snake))?.[1];
}

function identifiersIn(file: string): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return void node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: string; value?: unknown };
    if (type === 'Identifier' && typeof value === 'string') names.add(value);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(readFileSync(file, 'utf8'), { syntax: 'typescript', tsx: file.endsWith('x') }));
  return names;
}

describe('a replaced term', () => {
  test.each([
    ['liveLives', 'lifecycles'],
    ['collateralSlice', 'locked collateral'],
    ['verifyAtOnce', 'inline'],
    ['FiredDeadline', 'expire now'],
    ['tellService', 'report, send, return or log'],
    ['letDown', 'failed claim'],
    ['broadcast', undefined],
    ['slice', undefined],
    ['fired_at', undefined],
    ['heartbeat', undefined],
  ])('%s: %s', (name, replacement) => {
    expect(replacementFor(name)).toBe(replacement);
  });

  test('is in no file name', () => {
    const found = FILES.filter((file) => file.split('/').some((part) => replacementFor(part)));
    expect(found).toEqual([]);
  });

  test('appears in no identifier', () => {
    const found = FILES.flatMap((file) =>
      [...identifiersIn(file)].flatMap((name) => {
        const replacement = replacementFor(name);
        return replacement === undefined ? [] : [`${file}: ${name}: write ${replacement}`];
      }),
    );
    expect(found).toEqual([]);
  });
});
