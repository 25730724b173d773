import { useSignal } from '@preact/signals';
import { now } from '../clock.ts';
import { money, usd } from '../format.ts';
import { Countdown } from '../ui/countdown.tsx';
import { Choice } from '../ui/form.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { inHand } from './beliefs.ts';
import type { Desk } from './desk.ts';
import { OrderCard } from './order-card.tsx';
import type { Dashboard, Offer } from './shapes.ts';
import { Standing } from './standing.tsx';
import { claim, fiatDueAt, termsOf } from './steps.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The open orders as they come and go, and beneath the LP's hand those that it has claimed. */
export const Market = withDesk(({ desk, dashboard }: DeskProps) => {
  const mine = inHand(desk.orders.value);
  return (
    <>
      <Standing lp={dashboard.lp} assets={dashboard.assets} feed={desk.feed.value} />
      {mine.length > 0 && (
        <section aria-label="Your orders in hand">
          <h2>In hand</h2>
          <div class="columns">
            {mine.map((order) => (
              <OrderCard key={order.id} desk={desk} order={order} />
            ))}
          </div>
        </section>
      )}
      <OpenOrders desk={desk} lp={dashboard.lp} />
    </>
  );
});

function OpenOrders({ desk, lp }: { desk: Desk; lp: Dashboard['lp'] }) {
  const currency = useSignal('');
  const offers = desk.market.value;
  const currencies = [...new Set([...offers.map((offer) => offer.currency), currency.value])]
    .filter(Boolean)
    .sort();
  const shown = offers.filter((offer) => currency.value === '' || offer.currency === currency.value);
  return (
    <section aria-label="Open orders">
      {currencies.length > 1 && (
        <form class="inline">
          <Choice
            label="Currency"
            name="currency"
            value={currency.value}
            options={[['', 'All'], ...currencies.map((code) => [code, code] as const)]}
            onChange={(code) => {
              currency.value = code;
            }}
          />
        </form>
      )}
      <Table
        caption={`Open orders (${shown.length})`}
        columns={columns(desk, lp)}
        rows={shown}
        keyOf={({ id }) => id}
        empty={
          desk.feed.value === 'connecting'
            ? 'Looking for open orders…'
            : 'No order is open now. New ones appear here by themselves.'
        }
      />
    </section>
  );
}

const columns = (desk: Desk, lp: Dashboard['lp']): Column<Offer>[] => [
  { title: 'Order', cell: ({ id }) => id },
  { title: 'You send', kind: 'number', cell: (offer) => money(offer.amount_fiat, offer.currency) },
  {
    title: 'You get',
    kind: 'number',
    cell: (offer) => `${money(offer.amount_crypto, offer.crypto_symbol)} on ${offer.crypto_chain}`,
  },
  {
    title: 'Profit',
    kind: 'number',
    cell: ({ est_profit_usd }) => (
      <span class={est_profit_usd < 0 ? 'loss' : 'gain'}>{usd(est_profit_usd)}</span>
    ),
  },
  { title: 'Collateral', kind: 'number', cell: (offer) => usd(offer.collateral_required) },
  { title: 'Open for', kind: 'number', cell: (offer) => <Countdown until={offer.expires_at} /> },
  { title: 'Claim', kind: 'actions', cell: (offer) => <ClaimButton desk={desk} offer={offer} lp={lp} /> },
];

/** The whole of what a claim means stands beside its button, and is read out with it. */
function ClaimButton({ desk, offer, lp }: { desk: Desk; offer: Offer; lp: Dashboard['lp'] }) {
  const isShort = offer.collateral_required > desk.available.value;
  // To the minute: a text that changes each second cannot be read.
  const due = Math.floor(now.value / 60_000) * 60_000 - now.value + fiatDueAt(lp);
  const terms = termsOf(offer, due);
  const id = `terms-${offer.id}`;
  return (
    <div class="row">
      <small id={id}>{isShort ? `${terms}: more than you have available` : terms}</small>
      <button
        type="button"
        class="primary"
        disabled={isShort || lp.status !== 'approved'}
        aria-label={`Claim order ${offer.id}`}
        aria-describedby={id}
        onClick={() => void claim(desk, offer)}
      >
        Claim
      </button>
    </div>
  );
}
