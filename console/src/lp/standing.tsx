import { formatCount, formatDuration, formatPercent, formatTime, formatUsd } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Facts } from '../ui/facts.tsx';
import type { FeedState } from './feed.ts';
import type { Dashboard } from './shapes.ts';
import { isLoud, toggleSound } from './sound.ts';
import { describeCorridor, troubleOf } from './terms-words.ts';

/** The LP's status and record, what blocks its claims, and whether the page is live. */
export function Standing({
  lp,
  rates,
  assets,
  feed,
}: Pick<Dashboard, 'lp' | 'rates' | 'assets'> & { feed: FeedState }) {
  return (
    <section class="sheet" aria-label="Your standing">
      <div class="row apart">
        <div class="row">
          <strong>{lp.display_name}</strong>
          <Badge status={lp.status} />
          <Freshness feed={feed} />
        </div>
        <button type="button" aria-pressed={isLoud.value} onClick={toggleSound}>
          Sound on new orders<span aria-hidden="true">: {isLoud.value ? 'on' : 'off'}</span>
        </button>
      </div>
      <Facts
        figures
        facts={[
          ['Available collateral', formatUsd(lp.collateral.available)],
          ['Locked collateral', formatUsd(lp.collateral.locked)],
          ['Completed orders', formatCount(lp.orders_completed)],
          ['Completion rate', lp.completion_rate === null ? '–' : formatPercent(lp.completion_rate)],
          [
            'Median time to fiat',
            lp.median_fiat_seconds === null ? '–' : formatDuration(lp.median_fiat_seconds * 1_000),
          ],
          ['Unclaimed quotes', formatCount(lp.unclaimed_quotes)],
          ['Strikes', formatCount(lp.strikes)],
          ['Free releases left', formatCount(lp.free_releases_left)],
        ]}
      />
      {lp.unclaimed_quotes > 0 && (
        <p>
          <small>
            Unclaimed quotes are orders at your rate that you could have claimed and no LP claimed in time.
            Each makes you rank as if your price were 1 % higher. If most of your last ten expired so, and at
            least five, you rank behind all other LPs for a day. If you cannot take orders, stop quoting in{' '}
            <a href={linkTo('terms')}>your terms</a>.
          </small>
        </p>
      )}
      <ClaimBlocker lp={lp} rates={rates} assets={assets} />
      <TermsTrouble rates={rates} />
    </section>
  );
}

const FRESHNESS: Record<FeedState, readonly [tone: string, words: string]> = {
  live: ['good', 'live'],
  connecting: ['warn', 'connecting'],
  broken: ['warn', 'not live: refreshing every few seconds'],
};

function Freshness({ feed }: { feed: FeedState }) {
  const [tone, words] = FRESHNESS[feed];
  return (
    <span class={`badge ${tone}`} role="status">
      {words}
    </span>
  );
}

/** The reason why the LP cannot claim, and the remedy. */
function ClaimBlocker({ lp, rates, assets }: Pick<Dashboard, 'lp' | 'rates' | 'assets'>) {
  if (lp.status === 'suspended')
    return (
      <p class="notice">
        An admin has suspended you, so you see no open orders. You can still finish your active orders.
      </p>
    );
  if (lp.status !== 'approved')
    return <p class="notice">An admin has not approved you yet. You see open orders after the approval.</p>;
  if (lp.cooling_down_until !== null)
    return (
      <p class="notice" title={formatTime(lp.cooling_down_until)}>
        After a strike you cannot claim for some time. You can claim again in{' '}
        <Countdown until={lp.cooling_down_until} />.
      </p>
    );
  if (lp.collateral.available === 0)
    return (
      <p class="notice">
        No collateral is available. <a href={linkTo('collateral')}>Deposit collateral</a> to claim orders.
      </p>
    );
  if (assets.length === 0)
    return (
      <p class="notice">
        You have no receive address. <a href={linkTo('terms')}>Register a receive address</a> to claim orders.
      </p>
    );
  if (rates.length === 0)
    return (
      <p class="notice">
        You have no terms, so no order is offered to you. <a href={linkTo('terms')}>Publish terms</a> to see
        orders.
      </p>
    );
  return null;
}

/** The corridors whose terms need the LP's attention. A corridor that the LP has stopped quoting is omitted. */
function TermsTrouble({ rates }: Pick<Dashboard, 'rates'>) {
  const troubles = rates
    .filter(({ quoting }) => quoting)
    .flatMap((terms) => {
      const trouble = troubleOf(terms);
      return trouble === null ? [] : [{ corridor: describeCorridor(terms), trouble }];
    });
  if (troubles.length === 0) return null;
  return (
    <ul class="notice">
      {troubles.map(({ corridor, trouble }) => (
        <li key={corridor}>
          <a href={linkTo('terms')}>{corridor}</a>: {trouble}
        </li>
      ))}
    </ul>
  );
}
