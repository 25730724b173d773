import { endsOf, listed, type Row, seconds } from '../kernel/report.ts';
import type { HarnessReport } from './harness.ts';

/** Under faults a caller may have to give up, but nearly all payments succeed. */
const MAX_NEVER_MADE = 0.02;

/** In dense storms on a busy machine, 27 of some 400 calls were given up. Each aborts the rest of its lifecycle. */
const MAX_GIVEN_UP = 0.2;

/** No promise was broken, no order is stuck, and the run had enough calls, faults and crashes to prove it. */
export const isSound = (report: HarnessReport): boolean =>
  report.breaches.length + report.stuck.length === 0 && shortfallsOf(report).length === 0;

/** Why a run proves nothing: too few calls, faults or crashes. One line for each shortfall. */
export function shortfallsOf(report: HarnessReport): string[] {
  const { neverMade, orders, gaveUp, calls, faults, minimum, crashesByPart } = report;
  const injected = total(faults);
  return [
    ...(neverMade > MAX_NEVER_MADE * orders ? [`${neverMade} of ${orders} payments were never made`] : []),
    ...(gaveUp > MAX_GIVEN_UP * calls.made ? [`${gaveUp} of ${calls.made} calls were given up`] : []),
    ...(injected < minimum.faults ? [`faults: ${injected}, at least ${minimum.faults} required`] : []),
    ...(['api', 'worker'] as const)
      .filter((part) => crashesByPart[part] < minimum.crashes[part])
      .map(
        (part) =>
          `crashes of the ${PARTS[part]} at a crash point: ${crashesByPart[part]}, at least ${minimum.crashes[part]} required`,
      ),
  ];
}

const PARTS = { api: 'API', worker: 'worker' };
const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);

/** The rows of a fault storm, beside those of every storm. */
export const faultRows = ({ faults, crashes, exits }: HarnessReport): Row[] => [
  ['faults', `${total(faults)} (${listed(faults)})`],
  ['crash points', `${total(crashes)} (${listed(crashes)})`],
  ['exits', `${total(exits)} (${listed(exits)})`],
];

/** seed | orders | ends | attempts at calls | failed | faults | crash points | breaches | stuck | duration */
export function markdownRow(report: HarnessReport): string {
  const { seed, orders, faults, crashes, calls, breaches, stuck, durationMs } = report;
  const cells = [
    ...[seed, orders, endsOf(report), calls.attempts, calls.failed, total(faults), total(crashes)],
    ...[breaches.length, stuck.length, seconds(durationMs)],
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Totals over several seeds. */
const SUMMED: Record<string, (report: HarnessReport) => number> = {
  orders: ({ orders }) => orders,
  'never made': ({ neverMade }) => neverMade,
  attempts: ({ calls }) => calls.attempts,
  '503 or none': ({ calls }) => calls.failed,
  'given up': ({ gaveUp }) => gaveUp,
  faults: ({ faults }) => total(faults),
  'crash points': ({ crashes }) => total(crashes),
  exits: ({ exits }) => total(exits),
  breaches: ({ breaches }) => breaches.length,
  stuck: ({ stuck }) => stuck.length,
};

/** A line for each seed, and their sums. A seed whose run failed has no numbers. */
export function summed(reports: HarnessReport[], seeds: number[]): string {
  const counts = Object.values(SUMMED);
  const lineOf = (seed: number) => {
    const report = reports.find((one) => one.seed === seed);
    if (!report) return [seed, ...counts.map(() => '-'), '-', 'failed'];
    const verdict = isSound(report) ? 'sound' : 'NOT SOUND';
    return [seed, ...counts.map((count) => count(report)), seconds(report.durationMs), verdict];
  };
  const sum = (count: (report: HarnessReport) => number) => reports.reduce((n, one) => n + count(one), 0);
  const lines = [
    ['seed', ...Object.keys(SUMMED), 'duration', ''],
    ...seeds.map(lineOf),
    ['all', ...counts.map(sum), seconds(sum(({ durationMs }) => durationMs)), ''],
  ].map((cells) => cells.map(String));
  const widths = (lines[0] ?? []).map((_, i) => Math.max(...lines.map((cells) => cells[i]?.length ?? 0)));
  return lines
    .map((cells) =>
      cells
        .map((cell, i) => cell.padStart(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
