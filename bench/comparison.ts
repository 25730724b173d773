import { type Spread, spread } from './figures.ts';
import type { FloorFigures } from './floors/measure.ts';
import type { Figures, MEASURES } from './measures.ts';
import type { SubjectName } from './subjects.ts';

/** One round: every subject and every floor, one after the other. */
export interface Round {
  subjects: Record<SubjectName, Figures>;
  floors: FloorFigures;
}

/** What a figure is to reach. */
export interface Bounds {
  atLeast: number;
  aim: number;
  /** Whether a smaller one is better. */
  lower: boolean;
}

/** Corridor against something else. */
export interface Goal extends Bounds {
  title: string;
  /** Of one round, so that both sides met the same machine. */
  ratio: (round: Round) => number;
}

type Measure = keyof typeof MEASURES;
const against =
  (measure: Measure, other: SubjectName) =>
  ({ subjects }: Round) =>
    subjects.corridor[measure] / subjects[other][measure];

// biome-ignore format: a table, one line for each entry
export const GOALS: readonly Goal[] = [
  { title: 'claim, one client, p50 ÷ naive Temporal', ratio: against('claimAlone', 'naive-temporal'), atLeast: 0.5, aim: 0.3, lower: true },
  { title: 'claim, one client, p50 ÷ DBOS', ratio: against('claimAlone', 'dbos'), atLeast: 1, aim: 0.7, lower: true },
  { title: 'claim, 16 clients, p99 ÷ naive Temporal', ratio: against('claimTogether', 'naive-temporal'), atLeast: 0.5, aim: 0.2, lower: true },
  { title: 'orders/s ÷ naive Temporal', ratio: against('ordersPerSecond', 'naive-temporal'), atLeast: 2, aim: 3, lower: false },
  { title: 'orders/s ÷ DBOS', ratio: against('ordersPerSecond', 'dbos'), atLeast: 0.5, aim: 1, lower: false },
  { title: 'orders/s ÷ the null-activity floor', ratio: ({ subjects, floors }) => subjects.corridor.ordersPerSecond / floors.nullSignals, atLeast: 0.8, aim: 0.95, lower: false },
  { title: 'lost claims/s ÷ bare Koa', ratio: ({ subjects, floors }) => subjects.corridor.lostClaims / floors.bareKoa, atLeast: 0.7, aim: 0.9, lower: false },
  { title: 'status reads/s ÷ bare Koa', ratio: ({ subjects, floors }) => subjects.corridor.statusReads / floors.bareKoa, atLeast: 0.85, aim: 0.95, lower: false },
];

export const reached = ({ lower, atLeast, aim }: Bounds, median: number): 'aim' | 'goal' | 'missed' => {
  const within = (bound: number) => (lower ? median <= bound : median >= bound);
  return within(aim) ? 'aim' : within(atLeast) ? 'goal' : 'missed';
};

/** All rounds of each subject's measure. */
export function spreads(rounds: readonly Round[], measure: Measure): Record<SubjectName, Spread> {
  const [first] = rounds;
  if (!first) throw new RangeError('There is no round to compare');
  const names = Object.keys(first.subjects) as SubjectName[];
  return Object.fromEntries(
    names.map((name) => [name, spread(rounds.map(({ subjects }) => subjects[name][measure]))]),
  ) as Record<SubjectName, Spread>;
}
