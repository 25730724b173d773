import type { StepName } from '../../src/domain/order-state.ts';
import { STEP_STATEMENTS } from '../../src/orders/steps/registry.ts';
import { percentile } from '../figures.ts';
import { plain, table as tableOf } from '../report.ts';
import type { LedgerTimes } from './ledger.ts';
import { TITLES, type Timings } from './measures.ts';
import type { StatementPlan } from './plans.ts';

/** A table with right-aligned figures. */
export const table = (head: string[], rows: string[][]): string => tableOf(head, rows, '---:');
const count = (n: number) => n.toLocaleString('en-US');

/** Every measure at every size, and its ratio to the first size. */
export function latencyTable(bySize: Map<number, Timings>): string {
  const [first] = bySize.values();
  const rows = Object.entries(TITLES).map(([name, title]) => [
    title,
    ...[...bySize.values()].flatMap((timings) => {
      const [here, there] = [timings[name] ?? [], first?.[name] ?? []];
      const inWords = `${plain(percentile(here, 50))} / ${plain(percentile(here, 95))}`;
      return timings === first
        ? [inWords]
        : [inWords, `× ${plain(percentile(here, 50) / percentile(there, 50))}`];
    }),
  ]);
  const head = [...bySize.keys()].flatMap((size, i) => [
    `${count(size)}`,
    ...(i === 0 ? [] : ['p50 ÷ first']),
  ]);
  return table(['p50 / p95, ms', ...head], rows);
}

/** The duration of a full ledger check at every size. */
export const ledgerTable = (times: Map<number, LedgerTimes>): string =>
  table(
    ['orders', 'facts checked', 'seconds'],
    [...times].map(([size, { checked, seconds }]) => [count(size), count(checked), plain(seconds)]),
  );

/** Several steps may share one statement. */
const STEPS = Map.groupBy(Object.keys(STEP_STATEMENTS) as StepName[], (step) =>
  STEP_STATEMENTS[step].text.replace(/\s+/g, ' '),
);

const MAX_LENGTH = 150;
/** The names of the steps that send the statement, or else its beginning. */
export function describeStatement({ text }: Pick<StatementPlan, 'text'>): string {
  const steps = STEPS.get(text);
  if (steps) return `step: ${steps.join(', ')}`;
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)} …` : text;
}

const inCode = (text: string) => `\`${text.replace(/\|/g, '\\|').replace(/`/g, "'")}\``;

/** Statements that read fewer rows on the largest database are left out: they cannot become slow. */
const MIN_ROWS = 100;

/** The statements at the smallest and the largest size. Statements whose rows grow most come first. */
export function statementTable(small: StatementPlan[], large: StatementPlan[]): string {
  const before = new Map(small.map((plan) => [plan.text, plan]));
  const rows = large
    .flatMap((plan) => {
      const was = before.get(plan.text);
      return was && plan.rows >= MIN_ROWS ? [{ plan, was }] : [];
    })
    .sort((a, b) => b.plan.rows - b.was.rows - (a.plan.rows - a.was.rows))
    .map(({ plan, was }) => [
      inCode(describeStatement(plan)),
      ...[
        count(was.rows),
        count(plan.rows),
        count(was.pages),
        count(plan.pages),
        plain(was.ms),
        plain(plan.ms),
      ],
    ]);
  return table(
    [
      'statement',
      'rows read: smallest size',
      'largest',
      'pages: smallest',
      'largest',
      'ms: smallest',
      'largest',
    ],
    rows,
  );
}

/** The same statements with the nodes of their plans. */
export const planList = (plans: StatementPlan[]): string =>
  plans
    .filter(({ rows }) => rows >= MIN_ROWS)
    .sort((a, b) => b.rows - a.rows)
    .map(
      (plan) =>
        `**${describeStatement(plan).replace(/\*/g, '\\*')}**\n\n\`\`\`\n${plan.nodes.join('\n')}\n\`\`\``,
    )
    .join('\n\n');
