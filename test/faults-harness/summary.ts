import type { HarnessReport } from './harness.ts';

const seconds = (ms: number) => `${Math.round(ms / 1_000)} s`;
const listed = (counts: ReadonlyMap<string, number>) =>
  [...counts]
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} × ${name}`)
    .join(', ') || 'none';
const total = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((sum, n) => sum + n, 0);

export function inWords(report: HarnessReport): string {
  const { seed, orders, ends, faults, crashes, calls, breaches, stuck, gaveUp, webhooks, durationMs } =
    report;
  const rows = [
    ['seed', seed],
    ['orders', `${orders} (${listed(ends)})`],
    [
      'calls',
      `${calls.attempts} attempts, ${calls.good} answered 2xx, ${calls.failed} 503 or not at all, ${gaveUp} given up`,
    ],
    ['webhooks', `${webhooks} received`],
    ['faults', `${total(faults)} (${listed(faults)})`],
    ['crash points', `${total(crashes)} (${listed(crashes)})`],
    ['breaches', breaches.length],
    ['stuck', stuck.length],
    ['duration', seconds(durationMs)],
  ];
  return rows.map(([name, value]) => `${String(name).padEnd(13)} ${value}`).join('\n');
}

/** seed | orders | ends | attempts at calls | failed | faults | crash points | breaches | stuck | duration */
export function markdownRow(report: HarnessReport): string {
  const { seed, orders, ends, faults, crashes, calls, breaches, stuck, durationMs } = report;
  const cells = [
    ...[seed, orders, listed(ends), calls.attempts, calls.failed, total(faults), total(crashes)],
    ...[breaches.length, stuck.length, seconds(durationMs)],
  ];
  return `| ${cells.join(' | ')} |`;
}
