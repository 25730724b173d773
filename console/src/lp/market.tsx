import { useSignal } from '@preact/signals';
import { now } from '../clock.ts';
import { formatMoney, formatProfit, formatUsd } from '../format.ts';
import { Countdown } from '../ui/countdown.tsx';
import { Choice } from '../ui/form.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { describeMethod } from './delivery.ts';
import type { Desk } from './desk.ts';
import { listActiveOrders } from './optimistic-orders.ts';
import { OrderCard } from './order-card.tsx';
import type { Dashboard, Offer } from './shapes.ts';
import { Standing } from './standing.tsx';
import { claim, computeFiatDueAt, describeTerms } from './steps.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's active orders, and the open orders that it can claim. */
export const Market = withDesk(({ desk, dashboard }: DeskProps) => {
  const active = listActiveOrders(desk.orders.value);
  return (
    <>
      <Standing {...dashboard} feed={desk.feed.value} />
      {active.length > 0 && (
        <section aria-label="Your active orders">
          <h2>Active orders</h2>
          <div class="columns">
            {active.map((order) => (
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
        columns={buildColumns(desk, lp)}
        rows={shown}
        keyOf={({ id }) => id}
        empty={
          desk.feed.value === 'connecting'
            ? 'Loading open orders…'
            : 'No orders are open. New orders appear here automatically.'
        }
      />
    </section>
  );
}

const buildColumns = (desk: Desk, lp: Dashboard['lp']): Column<Offer>[] => [
  { title: 'Order', cell: ({ id }) => id },
  { title: 'You send', kind: 'number', cell: (offer) => formatMoney(offer.amount_fiat, offer.currency) },
  {
    title: 'To',
    cell: (offer) => (
      <span>
        {describeMethod(offer)} <small>{offer.recipient_masked}</small>
      </span>
    ),
  },
  {
    title: 'You get',
    kind: 'number',
    cell: (offer) => `${formatMoney(offer.amount_crypto, offer.crypto_symbol)} on ${offer.crypto_chain}`,
  },
  {
    title: 'Profit',
    kind: 'number',
    cell: ({ est_profit_usd }) => (
      <span class={est_profit_usd !== null && est_profit_usd >= 0 ? 'gain' : 'loss'}>
        {formatProfit(est_profit_usd)}
      </span>
    ),
  },
  { title: 'Collateral', kind: 'number', cell: (offer) => formatUsd(offer.collateral_required) },
  { title: 'Open for', kind: 'number', cell: (offer) => <Countdown until={offer.expires_at} /> },
  { title: 'Claim', kind: 'actions', cell: (offer) => <ClaimButton desk={desk} offer={offer} lp={lp} /> },
];

/** The button's description contains the terms of the claim, so screen readers announce them too. */
function ClaimButton({ desk, offer, lp }: { desk: Desk; offer: Offer; lp: Dashboard['lp'] }) {
  const lacksCollateral = offer.collateral_required > desk.available.value;
  // Rounded to the minute, so that the text does not change each second.
  const due = Math.floor(now.value / 60_000) * 60_000 - now.value + computeFiatDueAt(lp);
  const terms = describeTerms(offer, due);
  const id = `terms-${offer.id}`;
  return (
    <div class="row">
      <small id={id}>{lacksCollateral ? `${terms}: more than your available collateral` : terms}</small>
      <button
        type="button"
        class="primary"
        disabled={lacksCollateral || lp.status !== 'approved'}
        aria-label={`Claim order ${offer.id}`}
        aria-describedby={id}
        onClick={() => void claim(desk, offer)}
      >
        Claim
      </button>
    </div>
  );
}
