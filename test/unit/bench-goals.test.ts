import { describe, expect, test } from '@jest/globals';
import { parseChoice } from '../../bench/choice.ts';
import { failedChecks, figuresOf, PART_GOALS } from '../../bench/parts/goals.ts';
import { PART_NAMES } from '../../bench/parts/names.ts';
import type { PartRound } from '../../bench/parts/parts.ts';
import { partsReport } from '../../bench/parts/report.ts';
import { TRANSITIONS, type Transition } from '../../bench/stages.ts';

const all = (figure: number) =>
  Object.fromEntries(TRANSITIONS.map((name) => [name, figure])) as Record<Transition, number>;

const WHOLE: PartRound = {
  sql: { corridor: all(900), pgbench: all(1_000), roundTrips: all(1) },
  'hot-lp': { corridor: 400, bound: 500 },
  feed: { on: 970, off: 1_000 },
  delivery: { corridor: { p50: 5, p99: 60, cpu: 11 }, bare: { p50: 1, p99: 3, cpu: 10 } },
  history: { events: 44, tasks: 8 },
  memory: { orders: 10_000, before: 200, resident: 300, idleCpu: 1 },
  start: { fresh: 3.9, again: 9, bundle: 2 },
};
const goal = (title: RegExp) => {
  const found = PART_GOALS.filter((one) => title.test(one.title));
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} goals match ${title}`);
  return found[0];
};

test.each([
  [/^`settle` per second/, 0.9],
  [/^round trips/, 1],
  [/^64 simultaneous claims/, 0.8],
  [/^commits per second/, 0.97],
  [/^commit to client/, 60],
  [/^CPU per delivery/, 1.1],
  [/^history events/, 44],
  [/^workflow tasks/, 8],
  [/^resident memory/, 300],
  [/^`npm start` in an empty/, 3.9],
  [/^`npm start` on existing data/, 9],
])('%s is read from its part, and skips rounds without it', (title, figure) => {
  expect(figuresOf(goal(title), [WHOLE, {}])).toEqual([figure]);
});

test('every goal has its figure in a complete round', () => {
  expect(PART_GOALS.filter((one) => figuresOf(one, [WHOLE]).length !== 1)).toEqual([]);
});

describe('the table of the parts', () => {
  test('shows whether each part reached its goal', () => {
    const lines = partsReport([WHOLE]).split('\n');
    expect(lines).toContain(
      '| commit to client, 500 sockets, 100 events/s, p99, ms | 60.0 (60.0 to 60.0) | 1 | 50.0 | 20.0 | missed |',
    );
    expect(lines).toContain(
      '| history events per order with webhooks | 44.0 (44.0 to 44.0) | 1 | 45.0 | 35.0 | goal |',
    );
    expect(lines).toContain(
      '| `npm start` in an empty folder until ready, s | 3.90 (3.90 to 3.90) | 1 | 8.00 | 4.00 | aim |',
    );
  });

  test('shows only measured parts', () => {
    const rows = partsReport([{ history: { events: 44, tasks: 8 } }]).match(/^\| (?!part|---).*$/gm);
    expect(rows).toHaveLength(2);
  });

  test('reports that pgbench is missing, and that there were too few orders', () => {
    expect(partsReport([WHOLE])).not.toMatch(/pgbench is not on PATH|not comparable/);
    const lacking = partsReport([
      {
        sql: { corridor: all(900), pgbench: null, roundTrips: all(1) },
        memory: { orders: 160, before: 1, resident: 2, idleCpu: 1 },
      },
    ]);
    expect(lacking).toMatch(/pgbench is not on PATH/);
    expect(lacking).toMatch(/not comparable: there were fewer than 10000 orders/);
    expect(lacking).not.toMatch(/÷ pgbench/);
  });
});

describe('the machine-independent checks', () => {
  test('pass although a figure misses its goal', () => {
    expect(
      failedChecks([{ ...WHOLE, 'hot-lp': { corridor: 1, bound: 500 }, history: { events: 50, tasks: 8 } }]),
    ).toEqual([]);
    expect(failedChecks([{}])).toEqual([]);
  });

  test.each<[string, PartRound, string]>([
    [
      'a second round trip',
      { sql: { corridor: all(9), pgbench: null, roundTrips: { ...all(1), claim: 2 } } },
      'round trips per transition, maximum: 2, must be at most 1',
    ],
    [
      'less than 0.4 of pgbench',
      { sql: { corridor: { ...all(9), claim: 3 }, pgbench: all(10), roundTrips: all(1) } },
      '`claim` per second ÷ pgbench with the same statement: 0.3, must be at least 0.4',
    ],
    [
      'a longer history',
      { history: { events: 51, tasks: 8 } },
      'history events per order with webhooks: 51, must be at most 50',
    ],
    [
      'more tasks',
      { history: { events: 50, tasks: 9 } },
      'workflow tasks per order with webhooks: 9, must be at most 8',
    ],
  ])('fail for %s', (_, round, line) => {
    expect(failedChecks([round])).toEqual([line]);
  });

  test('use the median of the rounds', () => {
    const events = (n: number) => ({ history: { events: n, tasks: 8 } });
    expect(failedChecks([events(60), events(38), events(38)])).toEqual([]);
    expect(failedChecks([events(60), events(60), events(38)])).toHaveLength(1);
  });
});

test('--only selects the measurements', () => {
  expect(parseChoice(undefined)).toEqual({ alternatives: true, parts: [...PART_NAMES] });
  expect(parseChoice('history, sql')).toEqual({ alternatives: false, parts: ['sql', 'history'] });
  expect(parseChoice('alternatives')).toEqual({ alternatives: true, parts: [] });
  expect(() => parseChoice('sql,sqk')).toThrow('--only: unknown sqk; choose from alternatives, sql, hot-lp');
});
