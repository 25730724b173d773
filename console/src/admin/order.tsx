import { money, time, usd, words } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Read } from '../ui/states.tsx';
import { type OrderShown, useOrder } from './order-resource.ts';
import { OrderVerbs } from './order-verbs.tsx';
import { Receipt } from './receipt.tsx';
import { Timeline } from './timeline.tsx';
import { OrderWebhooks } from './webhooks.tsx';

/** Everything that an admin may know of an order, and do to it. */
export function OrderDetail({ id }: { id: string }) {
  const resource = useOrder(id);
  return (
    <>
      <p>
        <a href={linkTo('orders')}>All orders</a>
      </p>
      <Read resource={resource} what={`order ${id}`}>
        {({ order, timeline }) => (
          <>
            <OrderHead order={order} />
            <OrderVerbs order={order} moved={resource.reload} />
            <OrderFacts order={order} />
            <Timeline timeline={timeline} />
            {order.callback_url && <OrderWebhooks orderId={order.id} />}
          </>
        )}
      </Read>
    </>
  );
}

/** What order it is and where it stands, with the way to its workflow. */
export const OrderHead = ({ order }: { order: OrderShown }) => (
  <div class="row apart">
    <h2 class="row">
      Order #{order.id} <Badge status={order.status} /> {order.frozen && <Badge status="frozen" />}
    </h2>
    {order.workflow_url && (
      <a href={order.workflow_url} target="_blank" rel="noreferrer">
        Workflow in the Temporal UI
      </a>
    )}
  </div>
);

export const OrderFacts = ({ order }: { order: OrderShown }) => (
  <dl class="facts sheet">
    {factsOf(order).map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
    {order.receipt_url && (
      <div>
        <dt>Receipt</dt>
        <dd>
          <Receipt url={order.receipt_url} />
        </dd>
      </div>
    )}
  </dl>
);

/** Those that it has; of what is null there is nothing to say. */
function factsOf(order: OrderShown): [name: string, value: string][] {
  const slice = order.collateral_locked;
  const facts: [string, string | null][] = [
    ['Fiat', money(order.amount_fiat, order.currency)],
    ['Value', usd(order.amount_usd)],
    ['Crypto', `${money(order.amount_crypto, order.crypto_symbol)} on ${order.crypto_chain}`],
    ['Fee', usd(order.fee_usd)],
    ['LP', order.lp_id === null ? null : `LP ${order.lp_id}, spread ${order.spread_bps} bps`],
    ['Agent key', `${order.agent_key_id}`],
    ['User', `${order.user_id}`],
    ['Collateral locked', slice === null ? null : usd(slice)],
    ['Slashed', order.slashed_usd === null ? null : usd(order.slashed_usd)],
    ['Why it stands here', order.status_reason],
    ['LP is paid at', order.lp_receive_address],
    ['Transaction', order.user_crypto_tx_hash],
    ['Webhooks go to', order.callback_url],
    ['Created', time(order.created_at)],
    ['Completed', order.completed_at && time(order.completed_at)],
    ['Cancelled', order.cancelled_at && time(order.cancelled_at)],
    ['Type', words(order.type)],
    ['Version', `${order.version}`],
  ];
  return facts.filter((fact): fact is [string, string] => fact[1] !== null);
}
