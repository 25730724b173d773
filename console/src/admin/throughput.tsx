import type { Throughput as Report } from '../../../src/api/resources/overview/schemas.ts';
import { formatCount, formatTimeOfDay, formatUsd, sum } from '../format.ts';
import { useResource } from '../resource.ts';
import { navigate } from '../route.ts';
import { callApi } from '../session.ts';
import { Chart } from '../ui/chart.tsx';
import type { Series } from '../ui/chart-props.ts';
import { Choice } from '../ui/form.tsx';
import { ResourceView } from '../ui/states.tsx';

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

const REFRESH_MS = 15_000;

/** Charts of recent order transitions and completed value. */
export function Throughput({ hours }: { hours: string }) {
  const report = useResource(
    (signal) =>
      callApi<Report>('GET', `/api/admin/throughput?hours=${encodeURIComponent(hours)}`, { signal }),
    [hours],
    REFRESH_MS,
  );
  return (
    <section aria-label="Throughput">
      <div class="row apart">
        <h2>Throughput</h2>
        <Choice
          label="Period"
          name="hours"
          options={HOURS}
          value={hours}
          onChange={(hours) => navigate('health', { hours })}
        />
      </div>
      <ResourceView resource={report} what="the throughput">
        {(data) => <Charts report={data} />}
      </ResourceView>
    </section>
  );
}

function Charts({ report: { bucket_seconds, buckets } }: { report: Report }) {
  const labels = buckets.map(({ at }) => formatTimeOfDay(new Date(at)));
  const series = SERIES.map(({ status, name, tone }) => ({
    ...{ name, tone },
    values: buckets.map(({ entered }) => entered[status]),
  }));
  const value = buckets.map(({ completed_usd }) => completed_usd);
  const span = bucket_seconds === 60 ? 'minute' : `${bucket_seconds / 60} minutes`;
  return (
    <div class="columns">
      <Chart
        title={`Orders per ${span}`}
        kind="line"
        labels={labels}
        series={series}
        summary={series.map(({ name, values }) => `${formatCount(sum(values))} ${name}`).join(', ')}
      />
      <Chart
        title={`Value completed, USD per ${span}`}
        kind="bar"
        labels={labels}
        series={[{ name: 'completed', tone: 'good', values: value }]}
        format={formatUsd}
        summary={formatUsd(sum(value))}
      />
    </div>
  );
}
