import type { OrderResponse } from '../../../src/api/resources/orders/schemas.ts';
import { formatCrypto, formatMoney, formatUsd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { callApi } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Address, Transaction } from '../ui/copyable.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Facts } from '../ui/facts.tsx';
import { OrderTimeline, type TimelineShown } from '../ui/order-timeline.tsx';
import { SaveReceipt } from '../ui/save-receipt.tsx';
import { Time } from '../ui/time.tsx';
import { Scoped } from './scoped.tsx';
import { OrderWebhooks } from './webhooks.tsx';

const REFRESH_MS = 5_000;

/** One of the agent's orders: its facts, its timeline, what it waits for, and its webhooks. */
export function OrderDetail({ id }: { id: string }) {
  const resource = useResource(
    async (signal) => {
      const part = encodeURIComponent(id);
      // The service refuses another agent's timeline, so the page shows nothing of the public view of such an order.
      const [timeline, order] = await Promise.all([
        callApi<TimelineShown>('GET', `/api/v1/orders/${part}/timeline`, { signal }),
        callApi<OrderResponse>('GET', `/api/orders/${part}`, { signal }),
      ]);
      return { order, timeline };
    },
    [id],
    REFRESH_MS,
  );
  return (
    <>
      <p>
        <a href={linkTo('orders')}>All your orders</a>
      </p>
      <Scoped scope="read" resource={resource} what={`order ${id}`}>
        {({ order, timeline }) => (
          <>
            <div class="row apart">
              <h2 class="row">
                Order #{order.id} <Badge status={order.status} />
              </h2>
              {order.timeout_at && (
                <Countdown until={order.timeout_at} isStopped={Boolean(timeline.next?.stopped)} />
              )}
            </div>
            <OrderFacts order={order} />
            <OrderTimeline timeline={timeline} />
            {order.callback_url ? <OrderWebhooks orderId={order.id} /> : NO_WEBHOOKS}
          </>
        )}
      </Scoped>
    </>
  );
}

const NO_WEBHOOKS = (
  <p class="state">
    Corridor sends no webhooks about this order, because its payment had no <code>callback_url</code>.
  </p>
);

const OrderFacts = ({ order }: { order: OrderResponse }) => (
  <Facts
    sheet
    lead
    label="The order"
    facts={[
      ['Fiat', formatMoney(order.amount_fiat, order.currency)],
      ['Value', formatUsd(order.amount_usd)],
      ['Crypto', formatCrypto(order.amount_crypto, order.crypto_symbol, order.crypto_chain)],
      ['Fee', formatUsd(order.fee_usd)],
      ['User', order.user_id === undefined ? null : `${order.user_id}`],
      ['LP', order.lp_id === null ? null : `${order.lp_id}`],
      [
        'LP’s receive address',
        order.lp_receive_address && <Address chain={order.crypto_chain} address={order.lp_receive_address} />,
      ],
      ['Its destination tag', order.destination_tag === undefined ? null : `${order.destination_tag}`],
      [
        'Transaction',
        order.user_crypto_tx_hash && (
          <Transaction chain={order.crypto_chain} hash={order.user_crypto_tx_hash} />
        ),
      ],
      ['Webhook URL', order.callback_url ? <code>{order.callback_url}</code> : null],
      ['Created', <Time at={order.created_at} />],
      ['Completed', order.completed_at && <Time at={order.completed_at} />],
      ['Cancelled', order.cancelled_at && <Time at={order.cancelled_at} />],
      ['Receipt', order.receipt_url ? <SaveReceipt url={order.receipt_url} /> : null],
    ]}
  />
);
