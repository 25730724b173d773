import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { now } from '../clock.ts';
import { describeMethod } from '../delivery.ts';
import { formatCrypto, formatMoney, formatProfit, formatUsd } from '../format.ts';
import { isDoubleClick } from '../ui/action.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Choice } from '../ui/form.tsx';
import { type Column, Table } from '../ui/table.tsx';
import type { Desk } from './desk.ts';
import { Incidents } from './incidents.tsx';
import { listActiveOrders } from './optimistic-orders.ts';
import { OrderCard } from './order-card.tsx';
import type { Dashboard, Offer } from './shapes.ts';
import { Standing } from './standing.tsx';
import { keepPlaces, type OfferRow } from './steady-list.ts';
import { claim, computeFiatDueAt, describeDue, describeStake } from './steps.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's active orders, and the open orders that it can claim. */
export const Market = withDesk(({ desk, dashboard }: DeskProps) => {
  const active = listActiveOrders(desk.orders.value);
  return (
    <>
      <Standing {...dashboard} feed={desk.feed.value} />
      <Incidents incidents={dashboard.lp.incidents} />
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

/** The open orders, best first. While the mouse or the keyboard is in the table, newer orders wait and no row moves. */
function OpenOrders({ desk, lp }: { desk: Desk; lp: Dashboard['lp'] }) {
  const currency = useSignal('');
  const isHeld = useSignal(false);
  const places = useRef<readonly Offer[]>([]);
  const offers = desk.market.value;
  const currencies = [...new Set([...offers.map((offer) => offer.currency), currency.value])]
    .filter(Boolean)
    .sort();
  const isShown = (offer: Offer) => currency.value === '' || offer.currency === currency.value;
  const steady = keepPlaces(isHeld.value ? places.current : [], offers);
  places.current = steady.rows.map(({ offer }) => offer);
  const rows = steady.rows.filter(({ offer }) => isShown(offer));
  const hold = () => {
    isHeld.value = true;
  };
  const letGo = () => {
    isHeld.value = false;
  };
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
      <div
        onPointerMove={({ pointerType }) => pointerType === 'mouse' && hold()}
        onPointerLeave={letGo}
        onFocusIn={({ target }) => (target as Element).matches(':focus-visible') && hold()}
        onFocusOut={({ currentTarget, relatedTarget }) =>
          !currentTarget.contains(relatedTarget as Node | null) && letGo()
        }
      >
        <p class="waiting" role="status">
          {steady.waiting > 0 && (
            <button type="button" onClick={letGo}>
              Show {steady.waiting} new {steady.waiting === 1 ? 'order' : 'orders'}
            </button>
          )}
        </p>
        <Table
          caption={`Open orders (${offers.filter(isShown).length})`}
          columns={buildColumns(desk, lp)}
          rows={rows}
          keyOf={({ offer }) => offer.id}
          empty={
            desk.feed.value === 'connecting'
              ? 'Loading open orders…'
              : 'No orders are open. New orders appear here automatically.'
          }
        />
      </div>
    </section>
  );
}

const buildColumns = (desk: Desk, lp: Dashboard['lp']): Column<OfferRow>[] => [
  { title: 'Order', cell: ({ offer }) => offer.id },
  { title: 'You send', kind: 'number', cell: ({ offer }) => formatMoney(offer.amount_fiat, offer.currency) },
  {
    title: 'To',
    cell: ({ offer }) => (
      <span>
        {describeMethod(offer)} <small>{offer.recipient_masked}</small>
      </span>
    ),
  },
  {
    title: 'You get',
    kind: 'number',
    cell: ({ offer }) => formatCrypto(offer.amount_crypto, offer.crypto_symbol, offer.crypto_chain),
  },
  {
    title: 'Profit',
    kind: 'number',
    cell: ({ offer: { est_profit_usd } }) => (
      <span class={est_profit_usd !== null && est_profit_usd >= 0 ? 'gain' : 'loss'}>
        {formatProfit(est_profit_usd)}
      </span>
    ),
  },
  { title: 'Collateral', kind: 'number', cell: ({ offer }) => formatUsd(offer.collateral_required) },
  { title: 'Closes in', kind: 'number', cell: ({ offer }) => <Countdown until={offer.expires_at} /> },
  {
    title: 'Claim',
    kind: 'actions',
    cell: ({ offer, isOpen }) =>
      isOpen ? (
        <ClaimButton desk={desk} offer={offer} lp={lp} />
      ) : (
        <small>{isOwn(desk, offer) ? 'yours' : 'no longer open'}</small>
      ),
  },
];

const isOwn = (desk: Desk, { id }: Offer) => desk.orders.value.some((own) => own.id === id && own.owned);

/** The button's description contains the terms of the claim, so screen readers announce them too. */
function ClaimButton({ desk, offer, lp }: { desk: Desk; offer: Offer; lp: Dashboard['lp'] }) {
  const lacksCollateral = offer.collateral_required > desk.available.value;
  // Rounded to the minute, so that the text does not change each second.
  const due = Math.floor(now.value / 60_000) * 60_000 - now.value + computeFiatDueAt(lp);
  // Columns of the row show the collateral and the profit.
  const isInColumns = !lacksCollateral && offer.est_profit_usd !== null;
  const id = `terms-${offer.id}`;
  return (
    <div class="row">
      <small id={id} class={isInColumns ? 'whole' : undefined}>
        <span class={isInColumns ? 'unseen' : undefined}>{describeStake(offer)}, </span>
        {describeDue(due)}
        {lacksCollateral && ': more than your available collateral'}
      </small>
      <button
        type="button"
        class="primary"
        disabled={lacksCollateral || lp.status !== 'approved'}
        aria-label={`Claim order ${offer.id}`}
        aria-describedby={id}
        onClick={(event) => {
          if (!isDoubleClick(event)) void claim(desk, offer);
        }}
      >
        Claim
      </button>
    </div>
  );
}
