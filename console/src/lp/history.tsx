import { useSignal } from '@preact/signals';
import { count, day, duration, usd } from '../format.ts';
import { useResource } from '../resource.ts';
import { ask, lpPath, session } from '../session.ts';
import { Chart } from '../ui/chart.tsx';
import { Choice } from '../ui/form.tsx';
import { Read } from '../ui/states.tsx';
import type { History as Days } from './shapes.ts';

const SPANS = ['7', '30', '90'].map((days) => [days, `${days} days`] as const);
const LOOK_EVERY_MS = 60_000;

export function History() {
  const span = useSignal('30');
  const key = session.value?.key ?? '';
  const history = useResource(
    (signal) => ask<Days>('GET', lpPath(key, `/history?days=${span.value}`), { signal }),
    [key, span.value],
    LOOK_EVERY_MS,
  );
  return (
    <>
      <form class="inline">
        <Choice
          label="Time"
          name="days"
          options={SPANS}
          value={span.value}
          onChange={(days) => {
            span.value = days;
          }}
        />
      </form>
      <Read resource={history} what="your history">
        {({ days }) => <Charts days={days} />}
      </Read>
    </>
  );
}

function Charts({ days }: { days: Days['days'] }) {
  const labels = days.map(({ date }) => day(date));
  const volume = days.map(({ volume_usd }) => volume_usd);
  const earned = days.map(({ earned_usd }) => earned_usd);
  const seconds = days.map(({ median_fiat_seconds }) => median_fiat_seconds);
  const completed = sum(days.map((one) => one.completed));
  return (
    <>
      <section class="sheet" aria-label="In all">
        <dl class="facts">
          <div>
            <dt>Orders</dt>
            <dd>{count(completed)}</dd>
          </div>
          <div>
            <dt>Volume</dt>
            <dd>{usd(sum(volume))}</dd>
          </div>
          <div>
            <dt>Earned, by your present rates</dt>
            <dd>{usd(sum(earned))}</dd>
          </div>
          <div>
            <dt>Fees</dt>
            <dd>{usd(sum(days.map(({ fees_usd }) => fees_usd)))}</dd>
          </div>
        </dl>
      </section>
      <div class="columns">
        <Chart
          title="Volume"
          kind="bar"
          labels={labels}
          series={[{ name: 'Volume', tone: 'main', values: volume }]}
          format={usd}
          summary={`${count(completed)} ${completed === 1 ? 'order' : 'orders'}, ${usd(sum(volume))}`}
        />
        <Chart
          title="Earned"
          kind="bar"
          labels={labels}
          series={[{ name: 'Earned', tone: 'good', values: earned }]}
          format={usd}
          summary={usd(sum(earned))}
        />
        <Chart
          title="Median time from claim to fiat"
          kind="bar"
          labels={labels}
          series={[{ name: 'Median time', tone: 'busy', values: seconds }]}
          format={(one) => duration(one * 1_000)}
          summary={`by day, over ${days.length} days`}
        />
      </div>
    </>
  );
}

const sum = (values: number[]): number => values.reduce((all, value) => all + value, 0);
