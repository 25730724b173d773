import { type Bounds, GOALS, type Round, reached, spreads } from './comparison.ts';
import { type Spread, spread } from './figures.ts';
import { MEASURES } from './measures.ts';

export const plain = (n: number) => (n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2));
export const formatSpread = ({ median, min, max }: Spread) =>
  `${plain(median)} (${plain(min)} to ${plain(max)})`;
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
/** A Markdown table. `figures` is the alignment of all columns but the first. */
export const table = (head: string[], rows: string[][], figures = '---') =>
  [row(head), row(head.map((_, i) => (i === 0 ? '---' : figures))), ...rows.map(row)].join('\n');

/** One row: the figure over all rounds, its bounds, and whether it reached them. */
export function goalRow(title: string, figures: readonly number[], bounds: Bounds): string[] {
  const all = spread(figures);
  const [atLeast, aim] = [plain(bounds.atLeast), plain(bounds.aim)];
  return [title, formatSpread(all), String(figures.length), atLeast, aim, reached(bounds, all.median)];
}

const NAMES = Object.keys(MEASURES) as (keyof typeof MEASURES)[];

/** The rounds as Markdown: the goals, then all figures as median and spread. */
export function report(rounds: readonly Round[]): string {
  const goals = GOALS.map((goal) => goalRow(goal.title, rounds.map(goal.ratio), goal));
  const [first] = rounds;
  const subjects = Object.keys(first?.subjects ?? {});
  const figures = NAMES.map((name) => {
    const { title, unit } = MEASURES[name];
    return [`${title}, ${unit}`, ...Object.values(spreads(rounds, name)).map(formatSpread)];
  });
  const baselines = [
    ['empty workflow', ({ baselines }: Round) => baselines.emptyWorkflow],
    ['four signals, null local activities', ({ baselines }: Round) => baselines.nullSignals],
    [
      'bare Koa: key hash and one read of a row as wide as an order',
      ({ baselines }: Round) => baselines.bareKoa,
    ],
    ...Object.keys(first?.baselines.transitions ?? {}).map(
      (step) =>
        [
          `statement of \`${step}\` alone`,
          ({ baselines }: Round) => baselines.transitions[step as keyof typeof baselines.transitions],
        ] as const,
    ),
  ] as const;
  return [
    table(['comparison', 'ratio', 'rounds', 'at least', 'aim', 'reached'], goals),
    table(['', ...subjects], figures),
    table(
      ['baseline', 'per second'],
      baselines.map(([title, of]) => [title, formatSpread(spread(rounds.map(of)))]),
    ),
  ].join('\n\n');
}
