import type { HarnessReport } from './harness.ts';

/** Under faults a caller may have to give up, but nearly all are served in time. */
const MOST_NEVER_MADE = 0.02;

/** Dense storms on a busy machine: 27 of some 400 calls. With each the rest of a lifecycle goes unlived. */
const MOST_GIVEN_UP = 0.2;

/** Nothing was broken, nothing is stuck, and there was enough to prove it on. */
export const isSound = (report: HarnessReport): boolean =>
  report.breaches.length + report.stuck.length === 0 && lackOf(report).length === 0;

/** What a run is short of, so that it proves nothing; a line for each. */
export function lackOf({ neverMade, orders, gaveUp, calls, faults, least, deaths }: HarnessReport): string[] {
  const struck = total(faults);
  return [
    ...(neverMade > MOST_NEVER_MADE * orders ? [`${neverMade} of ${orders} payments were never made`] : []),
    ...(gaveUp > MOST_GIVEN_UP * calls.made ? [`${gaveUp} of ${calls.made} calls were given up`] : []),
    ...(struck < least.faults ? [`${struck} faults have struck, and ${least.faults} had to`] : []),
    ...(['api', 'worker'] as const)
      .filter((part) => deaths[part] < least.deaths[part])
      .map(
        (part) =>
          `${deaths[part]} deaths of ${PARTS[part]} at a crash point, and ${least.deaths[part]} had to be`,
      ),
  ];
}

const PARTS = { api: 'an API', worker: 'a worker' };
const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ') || 'none';
const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);
const endsOf = ({ ends, neverMade }: HarnessReport) => listed(new Map([...ends, ['never made', neverMade]]));

export function inWords(report: HarnessReport): string {
  const { seed, orders, faults, crashes, exits, calls, breaches, stuck, gaveUp, webhooks, durationMs } =
    report;
  const rows = [
    ['seed', seed],
    ['orders', `${orders} (${endsOf(report)})`],
    [
      'calls',
      `${calls.attempts} attempts, ${calls.good} answered 2xx, ${calls.failed} 503 or not at all, ${gaveUp} given up`,
    ],
    ['webhooks', `${webhooks} received`],
    ['faults', `${total(faults)} (${listed(faults)})`],
    ['crash points', `${total(crashes)} (${listed(crashes)})`],
    ['exits', `${total(exits)} (${listed(exits)})`],
    ['breaches', breaches.length],
    ['stuck', stuck.length],
    ['duration', seconds(durationMs)],
  ];
  return rows.map(([name, value]) => `${String(name).padEnd(13)} ${value}`).join('\n');
}

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

/** A line for each seed that was asked for, and their sums; one that did not come to its end has no numbers. */
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
