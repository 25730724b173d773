import type { BaselineFigures } from './baselines/measure.ts';
import { type Spread, spread } from './figures.ts';
import type { Figures, MEASURES } from './measures.ts';
import type { SubjectName } from './subjects.ts';

/** The figures of one round, in which every subject and every baseline ran in turn. */
export interface Round {
  subjects: Record<SubjectName, Figures>;
  baselines: BaselineFigures;
}

/** The goal and the more ambitious aim for a figure. */
export interface Bounds {
  atLeast: number;
  aim: number;
  /** Whether a smaller figure is better. */
  lower: boolean;
}

/** Corridor compared with something else, or a figure of its own. */
export interface Goal extends Bounds {
  title: string;
  /** Computed within one round, so that both sides ran under the same conditions. */
  ratio: (round: Round) => number;
}

type Measure = keyof typeof MEASURES;
const against =
  (measure: Measure, other: SubjectName) =>
  ({ subjects }: Round) =>
    subjects.corridor[measure] / subjects[other][measure];

const corridor =
  (of: (figures: Figures) => number) =>
  ({ subjects }: Round) =>
    of(subjects.corridor);

// biome-ignore format: a table, one line for each entry
export const GOALS: readonly Goal[] = [
  { title: 'CPU of an order, 16 clients, ms', ratio: corridor((own) => own.cpuSaturated), atLeast: 105, aim: 95, lower: true },
  { title: 'orders/s ÷ naive Temporal', ratio: against('ordersPerSecond', 'naive-temporal'), atLeast: 1.35, aim: 1.5, lower: false },
  { title: 'orders/s ÷ naive Temporal, same work', ratio: against('ordersPerSecond', 'naive-same-work'), atLeast: 1.35, aim: 1.5, lower: false },
  { title: 'orders/s ÷ DBOS', ratio: against('ordersPerSecond', 'dbos'), atLeast: 0.6, aim: 0.7, lower: false },
  { title: 'orders/s with webhooks ÷ without', ratio: corridor((own) => own.withWebhooks / own.ordersPerSecond), atLeast: 0.8, aim: 0.9, lower: false },
  { title: 'claim, one client, p50 ÷ naive Temporal', ratio: against('claimAlone', 'naive-temporal'), atLeast: 0.5, aim: 0.4, lower: true },
  { title: 'claim, one client, p50 ÷ DBOS', ratio: against('claimAlone', 'dbos'), atLeast: 0.8, aim: 0.65, lower: true },
  { title: 'claim, 16 clients, p99 ÷ naive Temporal', ratio: against('claimTogether', 'naive-temporal'), atLeast: 0.75, aim: 0.6, lower: true },
  { title: 'orders/s ÷ the null-activity baseline', ratio: ({ subjects, baselines }) => subjects.corridor.ordersPerSecond / baselines.nullSignals, atLeast: 0.8, aim: 0.95, lower: false },
  { title: 'lost claims/s ÷ bare Koa', ratio: ({ subjects, baselines }) => subjects.corridor.lostClaims / baselines.bareKoa, atLeast: 0.8, aim: 0.9, lower: false },
  { title: 'status reads/s ÷ bare Koa', ratio: ({ subjects, baselines }) => subjects.corridor.statusReads / baselines.bareKoa, atLeast: 0.85, aim: 0.95, lower: false },
];

export const reached = ({ lower, atLeast, aim }: Bounds, median: number): 'aim' | 'goal' | 'missed' => {
  const within = (bound: number) => (lower ? median <= bound : median >= bound);
  return within(aim) ? 'aim' : within(atLeast) ? 'goal' : 'missed';
};

/** The spread of one measure over all rounds, by subject. */
export function spreads(rounds: readonly Round[], measure: Measure): Record<SubjectName, Spread> {
  const [first] = rounds;
  if (!first) throw new RangeError('No round was measured');
  const names = Object.keys(first.subjects) as SubjectName[];
  return Object.fromEntries(
    names.map((name) => [name, spread(rounds.map(({ subjects }) => subjects[name][measure]))]),
  ) as Record<SubjectName, Spread>;
}
