import type { Throughput as Report } from '../../../src/contract/overview.ts';
import { count, usd } from '../format.ts';
import { useResource } from '../resource.ts';
import { go } from '../route.ts';
import { ask } from '../session.ts';
import { Chart, type Series } from '../ui/chart.tsx';
import { Choice } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';

const HOURS = [
  ['1', 'the last hour'],
  ['3', 'the last 3 hours'],
  ['12', 'the last 12 hours'],
  ['24', 'the last 24 hours'],
] as const;

type Status = keyof Report['buckets'][number]['entered'];
const SERIES: { status: Status; name: string; tone: Series['tone'] }[] = [
  { status: 'matched', name: 'offered', tone: 'busy' },
  { status: 'completed', name: 'completed', tone: 'good' },
  { status: 'cancelled', name: 'cancelled', tone: 'warn' },
  { status: 'disputed', name: 'disputed', tone: 'bad' },
];

const LOOK_EVERY_MS = 15_000;
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

/** How orders have come along lately. */
export function Throughput({ hours }: { hours: string }) {
  const report = useResource(
    (signal) => ask<Report>('GET', `/api/admin/throughput?hours=${encodeURIComponent(hours)}`, { signal }),
    [hours],
    LOOK_EVERY_MS,
  );
  return (
    <section aria-label="Throughput">
      <div class="row apart">
        <h2>Throughput</h2>
        <Choice
          label="Time"
          name="hours"
          options={HOURS}
          value={hours}
          onChange={(hours) => go('health', { hours })}
        />
      </div>
      <Read resource={report} what="the throughput">
        {(seen) => <Charts report={seen} />}
      </Read>
    </section>
  );
}

function Charts({ report: { bucket_seconds, buckets } }: { report: Report }) {
  const labels = buckets.map(({ at }) => TIME.format(new Date(at)));
  const series = SERIES.map(({ status, name, tone }) => ({
    ...{ name, tone },
    values: buckets.map(({ entered }) => entered[status]),
  }));
  const value = buckets.map(({ completed_usd }) => completed_usd);
  const span = bucket_seconds === 60 ? 'minute' : `stretch of ${bucket_seconds / 60} minutes`;
  return (
    <div class="columns">
      <Chart
        title={`Orders in each ${span}`}
        kind="line"
        labels={labels}
        series={series}
        summary={series.map(({ name, values }) => `${count(sum(values))} ${name}`).join(', ')}
      />
      <Chart
        title={`Value completed, USD in each ${span}`}
        kind="bar"
        labels={labels}
        series={[{ name: 'completed', tone: 'good', values: value }]}
        format={usd}
        summary={usd(sum(value))}
      />
    </div>
  );
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
