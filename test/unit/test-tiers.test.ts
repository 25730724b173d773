import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

/** What no suite of `npm test` may do, because its result would depend on the machine or on chance. See CONTRIBUTING. */
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Each fast suite with its text, without this one. */
const SUITES = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && !/^(system|quarantine)\/|^unit\/test-tiers/.test(file))
  .map((file): [string, string] => [file, readFileSync(ROOT + file, 'utf8')]);
const SUPPORT = readdirSync(`${ROOT}support`, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file): [string, string] => [`support/${file}`, readFileSync(`${ROOT}support/${file}`, 'utf8')]);

const found = (files: [string, string][], pattern: RegExp, exempt: RegExp = /^$/): string[] =>
  files.flatMap(([file, text]) =>
    exempt.test(file) ? [] : [...text.matchAll(pattern)].map(([match]) => `${file}: ${match}`),
  );

const DEADLINE = /\b(?:CLAIM|FIAT|CONFIRM|SETTLE|VERIFY)_TIMEOUT'?: *'(\d+)(ms|s|m)'/g;
const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000 };

test('no stage of an order has a deadline below a minute: a test ends it with `passDeadline` or `expireNow`', () => {
  const short = SUITES.filter(([file]) => !file.startsWith('unit/')).flatMap(([file, text]) =>
    [...text.matchAll(DEADLINE)]
      .filter(([, amount, unit = '']) => Number(amount) * (UNIT_MS[unit] ?? 0) < 60_000)
      .map(([match]) => `${file}: ${match}`),
  );
  expect(short).toEqual([]);
});

test('no suite waits for a time: it awaits a condition', () => {
  const wait = /from 'node:timers(\/promises)?'|new Promise\([^)]*\) => setTimeout|await (delay|sleep)\(\d/g;
  expect(found(SUITES, wait)).toEqual([]);
});

test('no suite starts a program or a thread', () => {
  // Two suites list the repository's files with git.
  const listsFiles = /^unit\/(prose|terms)\.test\.ts$/;
  expect(found(SUITES, /'node:(child_process|worker_threads|cluster)'/g, listsFiles)).toEqual([]);
});

test('queries of the catalogue are in the support of the tests, and see one database only', () => {
  const catalogue = /\b(pg_locks|pg_stat_\w+|information_schema)\b/g;
  expect(found(SUITES, catalogue)).toEqual([]);
  // A server of its own, and dumps that read through a connection to one database.
  const isOwn = /^support\/(secured-postgres|dump|find-text)\.ts$/;
  const unfiltered = SUPPORT.filter(([, text]) => !text.includes('current_database()'));
  expect(found(unfiltered, catalogue, isOwn)).toEqual([]);
});

test('random values come from the seed of the run', () => {
  const chance = /Math\.random|\brandomInt\(|\bnewSeedFrom\(|createRandom\((?!seed\))|\bseed: /g;
  expect(found(SUITES, chance, /^unit\//)).toEqual([]);
  expect(found(SUITES, /fc\.configureGlobal|Math\.random/g)).toEqual([]);
});
