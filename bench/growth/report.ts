import { randomUUID } from 'node:crypto';
import { stepQuery } from '../../src/db/steps/perform-step.ts';
import { STEP_STATEMENTS } from '../../src/db/steps/statements.ts';
import type { StepName } from '../../src/domain/order-state.ts';
import { percentile } from '../figures.ts';
import { plain, table as tableOf } from '../report.ts';
import type { LedgerTimes } from './ledger.ts';
import { TITLES, type Timings } from './measures.ts';
import type { StatementPlan } from './plans.ts';

/** Figures stand to the right. */
export const table = (head: string[], rows: string[][]): string => tableOf(head, rows, '---:');
const count = (n: number) => n.toLocaleString('en-US');

/** Every measure at every size, and by what it has grown since the first. */
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

/** What the proof of the whole ledger takes. */
export const proofTable = (proofs: Map<number, LedgerTimes>): string =>
  table(
    ['orders', 'facts proved', 'seconds'],
    [...proofs].map(([size, { checked, seconds }]) => [count(size), count(checked), plain(seconds)]),
  );

const NOBODY = { orderId: 0, version: 0, to: 'matched', deadline: null, actor: '', reason: null } as const;
/** Steps whose statements are alike share one. */
const STEPS = Map.groupBy(Object.keys(STEP_STATEMENTS) as StepName[], (step) =>
  stepQuery(step, { ...NOBODY, requestId: randomUUID(), command: { trigger: 'confirm' } }).text.replace(
    /\s+/g,
    ' ',
  ),
);

const LONGEST_WORDS = 150;
/** A step by its name, another statement by its beginning. */
export function inWords({ text }: Pick<StatementPlan, 'text'>): string {
  const steps = STEPS.get(text);
  if (steps) return `step: ${steps.join(', ')}`;
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS)} …` : text;
}

const inCode = (text: string) => `\`${text.replace(/\|/g, '\\|').replace(/`/g, "'")}\``;

/** The statements of two sizes side by side; those that grow most come first. */
export function statementTable(small: StatementPlan[], large: StatementPlan[]): string {
  const before = new Map(small.map((plan) => [plan.text, plan]));
  const rows = large
    .flatMap((plan) => {
      const was = before.get(plan.text);
      return was ? [{ plan, was }] : [];
    })
    .sort((a, b) => b.plan.rows - b.was.rows - (a.plan.rows - a.was.rows))
    .map(({ plan, was }) => [
      inCode(inWords(plan)),
      ...[
        count(was.rows),
        count(plan.rows),
        count(was.pages),
        count(plan.pages),
        plain(was.ms),
        plain(plan.ms),
      ],
    ]);
  return table(['statement', 'rows looked at', 'now', 'pages', 'now', 'ms', 'now'], rows);
}

/** Each statement with its plan's nodes. */
export const planList = (plans: StatementPlan[]): string =>
  [...plans]
    .sort((a, b) => b.rows - a.rows)
    .map((plan) => `**${inWords(plan).replace(/\*/g, '\\*')}**\n\n\`\`\`\n${plan.nodes.join('\n')}\n\`\`\``)
    .join('\n\n');
