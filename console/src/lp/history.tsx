import { useSignal } from '@preact/signals';
import { now } from '../clock.ts';
import { formatCount, formatDay, formatDuration, formatUsd, sum } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { savePath } from '../save-file.ts';
import { callApi, lpPath } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Chart } from '../ui/chart.tsx';
import { Facts } from '../ui/facts.tsx';
import { Choice } from '../ui/form.tsx';
import { Icon } from '../ui/icon.tsx';
import { ResourceView } from '../ui/states.tsx';
import type { History as Days } from './shapes.ts';

const PERIODS = ['7', '30', '90'].map((days) => [days, `${days} days`] as const);
const REFRESH_MS = 60_000;

export function History() {
  const period = useSignal('30');
  const history = useResource(
    (signal) => callApi<Days>('GET', lpPath(`/history?days=${period.value}`), { signal }),
    [period.value],
    REFRESH_MS,
  );
  return (
    <>
      <form class="inline">
        <Choice
          label="Period"
          name="days"
          options={PERIODS}
          value={period.value}
          onChange={(days) => {
            period.value = days;
          }}
        />
        <SaveExport kind="history" days={Number(period.value)} />
        <SaveExport kind="statement" days={Number(period.value)} />
      </form>
      <ResourceView resource={history} what="your history">
        {({ days }) => <Charts days={days} />}
      </ResourceView>
    </>
  );
}

const DAY_MS = 86_400_000;

/** A button that saves the completed orders, or the movements of the collateral, of the last days as CSV. */
const SaveExport = ({ kind, days }: { kind: 'history' | 'statement'; days: number }) => (
  <Action
    successText={`Your ${kind} is saved.`}
    run={() => {
      const to = new Date(now.value);
      const from = new Date(to.getTime() - days * DAY_MS);
      const query = new URLSearchParams({ from: from.toISOString(), to: to.toISOString() });
      return savePath(lpPath(`/exports/${kind}.csv?${query}`));
    }}
  >
    <Icon name="download" />
    Save the {kind} (CSV)
  </Action>
);

function Charts({ days }: { days: Days['days'] }) {
  const labels = days.map(({ date }) => formatDay(date));
  const volume = days.map(({ volume_usd }) => volume_usd);
  const earned = days.map(({ earned_usd }) => earned_usd);
  const seconds = days.map(({ median_fiat_seconds }) => median_fiat_seconds);
  const completed = sum(days.map((one) => one.completed));
  const unknown = sum(days.map((one) => one.profit_unknown));
  return (
    <>
      <section class="sheet" aria-label="Totals">
        <Facts
          figures
          facts={[
            ['Orders', formatCount(completed)],
            ['Volume', formatUsd(sum(volume))],
            ['Earned, at your rates of the claims', formatUsd(sum(earned))],
            ['Orders with unknown profit', unknown === 0 ? null : formatCount(unknown)],
            ['Fees', formatUsd(sum(days.map(({ fees_usd }) => fees_usd)))],
          ]}
        />
      </section>
      {completed === 0 ? (
        <p class="state">
          None of your orders was completed in this period. Choose a longer one, or claim an order on the{' '}
          <a href={linkTo('market')}>market</a>.
        </p>
      ) : (
        <div class="columns">
          <Chart
            title="Volume"
            kind="bar"
            labels={labels}
            series={[{ name: 'Volume', tone: 'main', values: volume }]}
            format={formatUsd}
            summary={`${formatCount(completed)} ${completed === 1 ? 'order' : 'orders'}, ${formatUsd(sum(volume))}`}
          />
          <Chart
            title="Earned"
            kind="bar"
            labels={labels}
            series={[{ name: 'Earned', tone: 'good', values: earned }]}
            format={formatUsd}
            summary={formatUsd(sum(earned))}
          />
          <Chart
            title="Median time from claim to fiat"
            kind="bar"
            labels={labels}
            series={[{ name: 'Median time', tone: 'busy', values: seconds }]}
            format={(one) => formatDuration(one * 1_000)}
            summary={`by day, over ${days.length} days`}
          />
        </div>
      )}
    </>
  );
}
