import { STATUS_FACTS } from '../../../src/domain/order-state.ts';
import { money, usd, words } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import type { Desk } from './desk.ts';
import { OrderActions } from './order-actions.tsx';
import type { OwnOrder } from './shapes.ts';

/** One of the LP's orders: what to do for it, until when, and the buttons to say that it is done. */
export function OrderCard({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const { id, status } = order;
  return (
    <article class="sheet" aria-label={`Order ${id}`}>
      <div class="row apart">
        <h3>
          <a href={linkTo(`orders/${id}`)}>Order {id}</a> <Badge status={status} />
        </h3>
        {STATUS_FACTS[status].stage && <Countdown until={order.timeout_at} />}
      </div>
      <OrderFacts order={order} />
      <OrderActions desk={desk} order={order} />
    </article>
  );
}

export function OrderFacts({ order }: { order: OwnOrder }) {
  const { recipient, recipient_name, method } = order;
  return (
    <dl class="facts">
      <div>
        <dt>You send</dt>
        <dd>{money(order.amount_fiat, order.currency)}</dd>
      </div>
      {order.owned && (
        <div>
          <dt>To</dt>
          <dd>
            {recipient === null
              ? '…'
              : [recipient, recipient_name, method && words(method)].filter(Boolean).join(' · ')}
          </dd>
        </div>
      )}
      <div>
        <dt>You get</dt>
        <dd>
          {money(order.amount_crypto, order.crypto_symbol)} on {order.crypto_chain}
        </dd>
      </div>
      <div>
        <dt>Profit</dt>
        <dd>{usd(order.est_profit_usd)}</dd>
      </div>
      {order.collateral_locked !== null && (
        <div>
          <dt>Collateral for it</dt>
          <dd>{usd(order.collateral_locked)}</dd>
        </div>
      )}
    </dl>
  );
}
