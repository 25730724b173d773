import { count, duration, share, time, usd } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import type { FeedState } from './feed.ts';
import type { Dashboard } from './shapes.ts';
import { isLoud, toggleSound } from './sound.ts';

/** Whether the LP may claim, what it stands for, and how fresh what is shown is. */
export function Standing({ lp, assets, feed }: Pick<Dashboard, 'lp' | 'assets'> & { feed: FeedState }) {
  return (
    <section class="sheet" aria-label="Your standing">
      <div class="row apart">
        <div class="row">
          <strong>{lp.display_name}</strong>
          <Badge status={lp.status} />
          <Freshness feed={feed} />
        </div>
        <button
          type="button"
          aria-label="Sound on new orders"
          aria-pressed={isLoud.value}
          onClick={toggleSound}
        >
          Sound on new orders: {isLoud.value ? 'on' : 'off'}
        </button>
      </div>
      <dl class="facts">
        <div>
          <dt>Available collateral</dt>
          <dd>{usd(lp.collateral.available)}</dd>
        </div>
        <div>
          <dt>Locked</dt>
          <dd>{usd(lp.collateral.locked)}</dd>
        </div>
        <div>
          <dt>Completed orders</dt>
          <dd>{count(lp.orders_completed)}</dd>
        </div>
        <div>
          <dt>Completion</dt>
          <dd>{lp.completion_rate === null ? '–' : share(lp.completion_rate)}</dd>
        </div>
        <div>
          <dt>Median time to the fiat</dt>
          <dd>{lp.median_fiat_seconds === null ? '–' : duration(lp.median_fiat_seconds * 1_000)}</dd>
        </div>
        <div>
          <dt>Strikes</dt>
          <dd>{count(lp.strikes)}</dd>
        </div>
      </dl>
      <InTheWay lp={lp} assets={assets} />
    </section>
  );
}

const FRESHNESS: Record<FeedState, readonly [tone: string, words: string]> = {
  live: ['good', 'live'],
  connecting: ['warn', 'connecting'],
  broken: ['warn', 'not live: looking every few seconds'],
};

function Freshness({ feed }: { feed: FeedState }) {
  const [tone, words] = FRESHNESS[feed];
  return (
    <span class={`badge ${tone}`} role="status">
      {words}
    </span>
  );
}

/** What keeps the LP from claiming, and what it can do about it. */
function InTheWay({ lp, assets }: Pick<Dashboard, 'lp' | 'assets'>) {
  if (lp.status === 'suspended')
    return (
      <p class="notice">An admin has suspended you: no open order is shown. What you have in hand goes on.</p>
    );
  if (lp.status !== 'approved')
    return <p class="notice">An admin has yet to approve you: until then no open order is shown.</p>;
  if (lp.cooling_down_until !== null)
    return (
      <p class="notice" title={time(lp.cooling_down_until)}>
        You are cooling down after a strike, and may claim again in{' '}
        <Countdown until={lp.cooling_down_until} />.
      </p>
    );
  if (lp.collateral.available === 0)
    return (
      <p class="notice">
        No collateral is available: <a href={linkTo('collateral')}>pay some in</a> to claim orders.
      </p>
    );
  if (assets.length === 0)
    return (
      <p class="notice">
        You are paid nowhere yet: <a href={linkTo('terms')}>register a receive address</a> to claim orders.
      </p>
    );
  return null;
}
