import { type Bounds, GOALS, type Round, reached, spreads } from './comparison.ts';
import { type Spread, spread } from './figures.ts';
import { MEASURES } from './measures.ts';

export const plain = (n: number) => (n >= 100 ? n.toFixed(0) : n >= 10 ? n.toFixed(1) : n.toFixed(2));
export const inWords = ({ median, min, max }: Spread) => `${plain(median)} (${plain(min)} to ${plain(max)})`;
const row = (cells: string[]) => `| ${cells.join(' | ')} |`;
/** `figures`: how the columns behind the first are aligned. */
export const table = (head: string[], rows: string[][], figures = '---') =>
  [row(head), row(head.map((_, i) => (i === 0 ? '---' : figures))), ...rows.map(row)].join('\n');

/** What was reached in all rounds, and within which bounds it should have been. */
export function goalRow(title: string, figures: readonly number[], bounds: Bounds): string[] {
  const all = spread(figures);
  const [atLeast, aim] = [plain(bounds.atLeast), plain(bounds.aim)];
  return [title, inWords(all), String(figures.length), atLeast, aim, reached(bounds, all.median)];
}

const NAMES = Object.keys(MEASURES) as (keyof typeof MEASURES)[];

/** The rounds as Markdown: what was reached, and all figures, as median and spread. */
export function report(rounds: readonly Round[]): string {
  const goals = GOALS.map((goal) => goalRow(goal.title, rounds.map(goal.ratio), goal));
  const [first] = rounds;
  const subjects = Object.keys(first?.subjects ?? {});
  const figures = NAMES.map((name) => {
    const { title, unit } = MEASURES[name];
    return [`${title}, ${unit}`, ...Object.values(spreads(rounds, name)).map(inWords)];
  });
  const floors = [
    ['an empty workflow', ({ floors }: Round) => floors.emptyWorkflow],
    ['four signals, null local activities', ({ floors }: Round) => floors.nullSignals],
    ['bare Koa: a key’s hash and one read', ({ floors }: Round) => floors.bareKoa],
    ...Object.keys(first?.floors.transitions ?? {}).map(
      (step) =>
        [
          `the statement of \`${step}\` alone`,
          ({ floors }: Round) => floors.transitions[step as keyof typeof floors.transitions],
        ] as const,
    ),
  ] as const;
  return [
    table(['Corridor against', 'ratio', 'rounds', 'at least', 'aim', 'reached'], goals),
    table(['', ...subjects], figures),
    table(
      ['floor', 'a second'],
      floors.map(([title, of]) => [title, inWords(spread(rounds.map(of)))]),
    ),
  ].join('\n\n');
}
