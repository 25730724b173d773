import { spread } from '../figures.ts';
import { goalRow, inWords, table } from '../report.ts';
import { TRANSITIONS } from '../stages.ts';
import { figuresOf, PART_GOALS } from './goals.ts';
import { PART_SIZES } from './part.ts';
import type { PartRound } from './parts.ts';

/** The rounds as Markdown: what the parts reached, the figures behind it, and what was left out. */
export function partsReport(rounds: readonly PartRound[]): string {
  const goals = PART_GOALS.flatMap((goal) => {
    const figures = figuresOf(goal, rounds);
    const title = goal.unit ? `${goal.title}, ${goal.unit}` : goal.title;
    return figures.length === 0 ? [] : [goalRow(title, figures, goal)];
  });
  const details = DETAILS.flatMap(([title, figure]) => {
    const figures = rounds.map(figure).filter((one) => one !== undefined);
    return figures.length === 0 ? [] : [[title, inWords(spread(figures))]];
  });
  const tables = [
    table(['part', 'figure', 'rounds', 'at least', 'aim', 'reached'], goals),
    ...(details.length > 0 ? [table(['behind it', ''], details)] : []),
  ];
  return [...tables, ...remarks(rounds)].join('\n\n');
}

type Detail = readonly [string, (round: PartRound) => number | undefined];

// biome-ignore format: a table, one line for each entry
const DETAILS: readonly Detail[] = [
  ...TRANSITIONS.flatMap((name): Detail[] => [
    [`\`${name}\` by the code of the workers, /s`, ({ sql }) => sql?.corridor[name]],
    [`\`${name}\` by pgbench, /s`, ({ sql }) => sql?.pgbench?.[name]]]),
  ['claims of one LP, /s', ({ 'hot-lp': hot }) => hot?.corridor],
  ['claims of one LP by the least statement, /s', ({ 'hot-lp': hot }) => hot?.bound],
  ['commits with the live feed, /s', ({ feed }) => feed?.on],
  ['commits without, /s', ({ feed }) => feed?.off],
  ['commit to client, p50, ms', ({ delivery }) => delivery?.corridor.p50],
  ['the bare server, p50, ms', ({ delivery }) => delivery?.bare.p50],
  ['the bare server, p99, ms', ({ delivery }) => delivery?.bare.p99],
  ['CPU of a delivery, µs', ({ delivery }) => delivery?.corridor.cpu],
  ['CPU of the bare server’s, µs', ({ delivery }) => delivery?.bare.cpu],
  ['live orders', ({ memory }) => memory?.orders],
  ['resident memory without any, MB', ({ memory }) => memory?.before],
  ['making the workflows’ bundle, once, s', ({ start }) => start?.bundle],
];

function remarks(rounds: readonly PartRound[]): string[] {
  const withoutPgbench = rounds.some(({ sql }) => sql?.pgbench === null);
  const small = rounds.some(({ memory }) => memory && memory.orders < PART_SIZES.whole.liveOrders);
  return [
    ...(withoutPgbench ? ['There is no pgbench on PATH: the statements were held against nothing.'] : []),
    ...(small
      ? [`The memory is that of fewer than ${PART_SIZES.whole.liveOrders} orders, and not to be compared.`]
      : []),
  ];
}
