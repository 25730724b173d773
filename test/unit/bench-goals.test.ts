import { describe, expect, test } from '@jest/globals';
import { chosen } from '../../bench/choice.ts';
import { broken, figuresOf, PART_GOALS } from '../../bench/parts/goals.ts';
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
  memory: { orders: 10_000, before: 200, resident: 300 },
  start: { fresh: 3.9, again: 9, bundle: 2 },
};
const goal = (title: RegExp) => {
  const found = PART_GOALS.filter((one) => title.test(one.title));
  if (found.length !== 1 || !found[0]) throw new Error(`${found.length} goals are called ${title}`);
  return found[0];
};

test.each([
  [/^`settle` a second/, 0.9],
  [/^round trips/, 1],
  [/^64 claims/, 0.8],
  [/^commits a second/, 0.97],
  [/^commit to client/, 60],
  [/^CPU of a delivery/, 1.1],
  [/^history events/, 44],
  [/^workflow tasks/, 8],
  [/^resident memory/, 300],
  [/^`npm start` in an empty/, 3.9],
  [/^`npm start` on its data/, 9],
])('%s is read from its part, and from no round without it', (title, figure) => {
  expect(figuresOf(goal(title), [WHOLE, {}])).toEqual([figure]);
});

test('every goal has its figure in a whole round', () => {
  expect(PART_GOALS.filter((one) => figuresOf(one, [WHOLE]).length !== 1)).toEqual([]);
});

describe('the table of the parts', () => {
  test('says of each what was reached', () => {
    const lines = partsReport([WHOLE]).split('\n');
    expect(lines).toContain(
      '| commit to client, 500 sockets, 100 events/s, p99, ms | 60.0 (60.0 to 60.0) | 1 | 50.0 | 20.0 | missed |',
    );
    expect(lines).toContain(
      '| history events of an order with webhooks | 44.0 (44.0 to 44.0) | 1 | 45.0 | 35.0 | goal |',
    );
    expect(lines).toContain(
      '| `npm start` in an empty folder to ready, s | 3.90 (3.90 to 3.90) | 1 | 8.00 | 4.00 | aim |',
    );
  });

  test('has only what was measured', () => {
    const rows = partsReport([{ history: { events: 44, tasks: 8 } }]).match(/^\| (?!part|---).*$/gm);
    expect(rows).toHaveLength(2);
  });

  test('says what it lacks: pgbench, and orders enough', () => {
    expect(partsReport([WHOLE])).not.toMatch(/no pgbench|not to be compared/);
    const lacking = partsReport([
      {
        sql: { corridor: all(900), pgbench: null, roundTrips: all(1) },
        memory: { orders: 160, before: 1, resident: 2 },
      },
    ]);
    expect(lacking).toMatch(/There is no pgbench on PATH/);
    expect(lacking).toMatch(/fewer than 10000 orders, and not to be compared/);
    expect(lacking).not.toMatch(/÷ pgbench/);
  });
});

describe('what any round keeps to', () => {
  test('is not broken by a figure that only misses its goal', () => {
    expect(
      broken([{ ...WHOLE, 'hot-lp': { corridor: 1, bound: 500 }, history: { events: 50, tasks: 8 } }]),
    ).toEqual([]);
    expect(broken([{}])).toEqual([]);
  });

  test.each<[string, PartRound, string]>([
    [
      'a second round trip',
      { sql: { corridor: all(9), pgbench: null, roundTrips: { ...all(1), claim: 2 } } },
      'round trips of a transition, the most: 2, and is to be 1 or less',
    ],
    [
      'half of what pgbench can',
      { sql: { corridor: { ...all(9), claim: 3 }, pgbench: all(10), roundTrips: all(1) } },
      '`claim` a second ÷ pgbench with the same statement: 0.3, and is to be 0.4 or more',
    ],
    [
      'a longer history',
      { history: { events: 51, tasks: 8 } },
      'history events of an order with webhooks: 51, and is to be 50 or less',
    ],
    [
      'more tasks',
      { history: { events: 50, tasks: 9 } },
      'workflow tasks of an order with webhooks: 9, and is to be 8 or less',
    ],
  ])('is broken by %s', (_, round, said) => {
    expect(broken([round])).toEqual([said]);
  });

  test('is the median of the rounds', () => {
    const events = (n: number) => ({ history: { events: n, tasks: 8 } });
    expect(broken([events(60), events(38), events(38)])).toEqual([]);
    expect(broken([events(60), events(60), events(38)])).toHaveLength(1);
  });
});

test('what is chosen to be measured', () => {
  expect(chosen(undefined)).toEqual({ contestants: true, parts: [...PART_NAMES] });
  expect(chosen('history, sql')).toEqual({ contestants: false, parts: ['sql', 'history'] });
  expect(chosen('contestants')).toEqual({ contestants: true, parts: [] });
  expect(() => chosen('sql,sqk')).toThrow('--only knows contestants, sql, hot-lp');
});
