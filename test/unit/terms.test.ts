import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parseSync } from '@swc/core';
import { projectFiles } from '../support/project-files.ts';

/**
 * One term for one thing. Each of these words was once used for something that has a standard term, which stands beside
 * it. The test reads names: of files, of everything in the sources, and of tables, columns, indexes and functions in
 * SQL. A text of one word, such as a signal's name, is also a name. `prose.test.ts` reads comments and docs.
 */
const REPLACED: [words: string, write: string][] = [
  ['patient patiently', 'retrying'],
  ['patience', 'timeout'],
  ['swift swiftly', 'recently fast'],
  ['gather gathers gathered gathering', 'batch'],
  ['pulse pulses beat beats beating', 'service heartbeat'],
  ['presence presences', 'process heartbeat'],
  ['belief beliefs believe believes believed', 'observed state'],
  ['hindrance hindrances', 'blocker'],
  ['rehearse rehearses rehearsed rehearsal', 'dry run'],
  ['remind reminds reminded reminder reminders', 'the name of the job'],
  ['fire fires fired firing advance advances advanced advancing', 'expire now'],
  ['slice slices', 'locked collateral'],
  ['share shares', 'concurrency limit or fraction'],
  ['tell tells told telling', 'report, send, return, log or show'],
  ['who whoever', 'caller, LP, agent or client'],
  ['deed deeds', 'action'],
  ['lives lived living', 'lifecycle'],
  ['cast', 'actors'],
  ['theatre', 'runner'],
  ['act acts acted acting', 'request or command'],
  ['sitting sittings', 'run'],
  ['contestant contestants', 'alternative'],
  ['floor floors', 'baseline'],
];
const REPLACED_WORDS = new Map(
  REPLACED.flatMap(([words, write]) => words.split(' ').map((word) => [word, write])),
);
const REPLACED_PHRASES: [RegExp, string][] = [
  [/(^|_)lets?_([a-z]+_)?down(_|$)/, 'failed claim'],
  [/(^|_)(take|takes|took|taken|taking)_back(_|$)/, 'reoffer'],
  [/(^|_)at_once(_|$)/, 'inline'],
];

/** Names of JavaScript, decimal.js, Temporal and the XRP Ledger, and a field of the public API. */
const KEPT = new Set([
  'slice',
  'floor',
  'ROUND_FLOOR',
  'timerFiredEventAttributes',
  'actNotFound',
  'fired_at',
]);
/** SQL's own words. */
const SQL_SYNTAX = /\bfor (key )?share\b|\b(cast|floor)\s*\(/gi;

const RULES = ['test/unit/prose.test.ts', 'test/unit/terms.test.ts'];
const FILES = projectFiles(['ts', 'tsx', 'js', 'sql']).filter((file) => !RULES.includes(file));

/** `liveLives` and `live-lives` are both `live_lives`. */
const snakeCase = (name: string) =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .toLowerCase();

function replacementFor(name: string): string | undefined {
  if (KEPT.has(name)) return undefined;
  const snake = snakeCase(name);
  const word = snake.split('_').find((part) => REPLACED_WORDS.has(part));
  if (word !== undefined) return REPLACED_WORDS.get(word);
  return REPLACED_PHRASES.find(([pattern]) => pattern.test(snake))?.[1];
}

function namesInScript(source: string, tsx: boolean): Set<string> {
  const names = new Set<string>();
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) return void node.forEach(visit);
    if (typeof node !== 'object' || node === null) return;
    const { type, value } = node as { type?: string; value?: unknown };
    if (typeof value === 'string') {
      if (type === 'Identifier') names.add(value);
      if (type === 'StringLiteral' && /^[A-Za-z_]\w*$/.test(value)) names.add(value);
    }
    Object.values(node).forEach(visit);
  };
  visit(parseSync(source, { syntax: 'typescript', tsx }));
  return names;
}

function namesInSql(source: string): Set<string> {
  const statements = source
    .replace(/--.*$|\/\*[\s\S]*?\*\//gm, '')
    .replace(/'(?:[^']|'')*'/g, "''")
    .replace(SQL_SYNTAX, ' ');
  return new Set(statements.match(/[A-Za-z_]\w*/g));
}

const namesIn = (file: string, source = readFileSync(file, 'utf8')) =>
  file.endsWith('.sql') ? namesInSql(source) : namesInScript(source, file.endsWith('x'));

const replacedNamesIn = (file: string, source?: string) =>
  [...namesIn(file, source)].filter((name) => replacementFor(name) !== undefined);

describe('a replaced term', () => {
  test.each([
    ['liveLives', 'lifecycle'],
    ['collateralSlice', 'locked collateral'],
    ['verifyAtOnce', 'inline'],
    ['FiredDeadline', 'expire now'],
    ['advanceDeadline', 'expire now'],
    ['tellService', 'report, send, return, log or show'],
    ['letDown', 'failed claim'],
    ['letOrderDown', 'failed claim'],
    ['takenBackAt', 'reoffer'],
    ['who_calls', 'caller, LP, agent or client'],
    ['patienceMs', 'timeout'],
    ['webhook_share', 'concurrency limit or fraction'],
    ['broadcast', undefined],
    ['actor', undefined],
    ['slice', undefined],
    ['heartbeat', undefined],
  ])('%s: %s', (name, replacement) => {
    expect(replacementFor(name)).toBe(replacement);
  });

  test('is found in declarations, properties, texts of one word and SQL, and not in sentences', () => {
    const script = `
      // We act.
      export const told = { fired: 'advance', text: 'They act.' };
      const { value: deed } = told;
      export type Share = \`act\${string}\`;
      deed.lives();`;
    expect(replacedNamesIn('some.ts', script)).toEqual([
      'told',
      'fired',
      'advance',
      'deed',
      'Share',
      'lives',
    ]);
    const sql = `
      -- We act.
      create table deeds (told_at timestamptz, text varchar default 'we act');
      create index orders_patient on orders (id);
      select cast(x as int), floor(y) as "floor" from orders for key share;`;
    expect(replacedNamesIn('some.sql', sql)).toEqual(['deeds', 'told_at', 'orders_patient']);
  });

  test('is in no file name', () => {
    const found = FILES.filter((file) => file.split('/').some((part) => replacementFor(part)));
    expect(found).toEqual([]);
  });

  test('is no name in a source', () => {
    const found = FILES.flatMap((file) =>
      replacedNamesIn(file).map((name) => `${file}: ${name}: write ${replacementFor(name)}`),
    );
    expect(found).toEqual([]);
  });
});
