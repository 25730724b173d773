import { spread } from '../figures.ts';
import { formatSpread, goalRow, table } from '../report.ts';
import { TRANSITIONS } from '../stages.ts';
import { figuresOf, PART_GOALS } from './goals.ts';
import { PART_SIZES } from './part.ts';
import type { PartRound } from './parts.ts';

/** The rounds as Markdown: the goals, the underlying figures, and remarks on missing ones. */
export function partsReport(rounds: readonly PartRound[]): string {
  const goals = PART_GOALS.flatMap((goal) => {
    const figures = figuresOf(goal, rounds);
    const title = goal.unit ? `${goal.title}, ${goal.unit}` : goal.title;
    return figures.length === 0 ? [] : [goalRow(title, figures, goal)];
  });
  const details = DETAILS.flatMap(([title, figure]) => {
    const figures = rounds.map(figure).filter((one) => one !== undefined);
    return figures.length === 0 ? [] : [[title, formatSpread(spread(figures))]];
  });
  const tables = [
    table(['part', 'figure', 'rounds', 'at least', 'aim', 'reached'], goals),
    ...(details.length > 0 ? [table(['underlying figure', 'median and range'], details)] : []),
  ];
  return [...tables, ...remarks(rounds)].join('\n\n');
}

type Detail = readonly [string, (round: PartRound) => number | undefined];

// biome-ignore format: a table, one line for each entry
const DETAILS: readonly Detail[] = [
  ...TRANSITIONS.flatMap((name): Detail[] => [
    [`\`${name}\` by the workers’ code, /s`, ({ sql }) => sql?.corridor[name]],
    [`\`${name}\` by pgbench, /s`, ({ sql }) => sql?.pgbench?.[name]]]),
  ['claims of one LP, /s', ({ 'hot-lp': hot }) => hot?.corridor],
  ['claims of one LP by the smallest statement, /s', ({ 'hot-lp': hot }) => hot?.bound],
  ['commits with the live feed, /s', ({ feed }) => feed?.on],
  ['commits without the live feed, /s', ({ feed }) => feed?.off],
  ['commit to client, p50, ms', ({ delivery }) => delivery?.corridor.p50],
  ['message to client, bare server, p50, ms', ({ delivery }) => delivery?.bare.p50],
  ['message to client, bare server, p99, ms', ({ delivery }) => delivery?.bare.p99],
  ['CPU per delivery, µs', ({ delivery }) => delivery?.corridor.cpu],
  ['CPU per delivery, bare server, µs', ({ delivery }) => delivery?.bare.cpu],
  ['live orders', ({ memory }) => memory?.orders],
  ['resident memory without orders, MB', ({ memory }) => memory?.before],
  ['CPU of all processes for idle live orders, % of a core', ({ memory }) => memory?.idleCpu],
  ['building the workflow bundle, once, s', ({ start }) => start?.bundle],
];

function remarks(rounds: readonly PartRound[]): string[] {
  const withoutPgbench = rounds.some(({ sql }) => sql?.pgbench === null);
  const small = rounds.some(({ memory }) => memory && memory.orders < PART_SIZES.whole.liveOrders);
  return [
    ...(withoutPgbench ? ['pgbench is not on PATH, so the statements were not compared with it.'] : []),
    ...(small
      ? [`The memory figure is not comparable: there were fewer than ${PART_SIZES.whole.liveOrders} orders.`]
      : []),
  ];
}
