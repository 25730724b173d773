import { type Bounds, reached } from '../comparison.ts';
import { spread } from '../figures.ts';
import { TRANSITIONS, type Transition } from '../stages.ts';
import type { PartRound } from './parts.ts';

/** The goal of a part of Corridor. */
export interface PartGoal extends Bounds {
  title: string;
  unit: '' | 'ms' | 's' | 'MB';
  /** The figure of one round; undefined if it was not measured. */
  figure: (round: PartRound) => number | undefined;
  /** A bound that holds even for one small round on a busy machine. `npm run bench` fails if the median exceeds it. */
  always?: number;
}

const againstPgbench =
  (transition: Transition) =>
  ({ sql }: PartRound) =>
    sql?.pgbench ? sql.corridor[transition] / sql.pgbench[transition] : undefined;

// biome-ignore format: a table, one line for each entry
export const PART_GOALS: readonly PartGoal[] = [
  ...TRANSITIONS.map((name): PartGoal => (
    { title: `\`${name}\` per second ÷ pgbench with the same statement`, unit: '', figure: againstPgbench(name), atLeast: 0.8, aim: 0.95, lower: false, always: 0.4 })),
  { title: 'round trips per transition, maximum', unit: '', figure: ({ sql }) => sql && Math.max(...Object.values(sql.roundTrips)), atLeast: 1, aim: 1, lower: true, always: 1 },
  { title: '64 simultaneous claims of one LP, per second ÷ the smallest statement', unit: '', figure: ({ 'hot-lp': hot }) => hot && hot.corridor / hot.bound, atLeast: 0.8, aim: 0.95, lower: false },
  { title: 'commits per second with the live feed ÷ without', unit: '', figure: ({ feed }) => feed && feed.on / feed.off, atLeast: 0.95, aim: 0.99, lower: false },
  { title: 'commit to client, 500 sockets, 100 events/s, p99', unit: 'ms', figure: ({ delivery }) => delivery?.corridor.p99, atLeast: 50, aim: 20, lower: true },
  { title: 'CPU per delivery ÷ the bare server’s', unit: '', figure: ({ delivery }) => delivery && delivery.corridor.cpu / delivery.bare.cpu, atLeast: 1.15, aim: 1, lower: true },
  { title: 'history events per order with webhooks', unit: '', figure: ({ history }) => history?.events, atLeast: 45, aim: 35, lower: true, always: 50 },
  { title: 'workflow tasks per order with webhooks', unit: '', figure: ({ history }) => history?.tasks, atLeast: 11, aim: 8, lower: true, always: 8 },
  { title: 'resident memory of API and worker with live orders', unit: 'MB', figure: ({ memory }) => memory?.resident, atLeast: 400, aim: 250, lower: true },
  { title: '`npm start` in an empty folder until ready', unit: 's', figure: ({ start }) => start?.fresh, atLeast: 8, aim: 4, lower: true },
  { title: '`npm start` on existing data until ready', unit: 's', figure: ({ start }) => start?.again, atLeast: 8, aim: 4, lower: true },
];

/** The figures of the rounds in which it was measured. */
export const figuresOf = ({ figure }: PartGoal, rounds: readonly PartRound[]): number[] =>
  rounds.map(figure).filter((one) => one !== undefined);

/** One line for each goal whose median violates its `always` bound. */
export function failedChecks(rounds: readonly PartRound[]): string[] {
  return PART_GOALS.flatMap((goal) => {
    const { title, lower, always } = goal;
    const figures = figuresOf(goal, rounds);
    if (always === undefined || figures.length === 0) return [];
    const { median } = spread(figures);
    const kept = reached({ lower, atLeast: always, aim: always }, median) !== 'missed';
    return kept ? [] : [`${title}: ${median}, must be at ${lower ? 'most' : 'least'} ${always}`];
  });
}
