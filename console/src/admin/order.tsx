import { describeMethod } from '../delivery.ts';
import { formatCrypto, formatMoney, formatUsd } from '../format.ts';
import { linkTo } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Address, Transaction } from '../ui/copyable.tsx';
import { Facts } from '../ui/facts.tsx';
import { NewTab } from '../ui/new-tab.tsx';
import { OrderTimeline } from '../ui/order-timeline.tsx';
import { SaveReceipt } from '../ui/save-receipt.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { wordsFor } from '../words.ts';
import { Named } from './named.tsx';
import { type OrderShown, useOrder } from './order-resource.ts';
import { OrderVerbs } from './order-verbs.tsx';
import { OrderWebhooks } from './webhooks.tsx';

/** One order: its state, the admin's commands, its timeline and its webhooks. */
export function OrderDetail({ id }: { id: string }) {
  const resource = useOrder(id);
  return (
    <>
      <p>
        <a href={linkTo('orders')}>All orders</a>
      </p>
      <ResourceView resource={resource} what={`order ${id}`}>
        {({ order, timeline }) => (
          <>
            <OrderHead order={order} />
            <OrderVerbs order={order} reload={resource.reload} />
            <OrderFacts order={order} />
            <OrderTimeline timeline={timeline} />
            {order.callback_url && <OrderWebhooks orderId={order.id} />}
          </>
        )}
      </ResourceView>
    </>
  );
}

/** The id and status of an order, with a link to its workflow. */
export const OrderHead = ({ order }: { order: OrderShown }) => (
  <div class="row apart">
    <h2 class="row">
      Order #{order.id} <Badge status={order.status} /> {order.frozen && <Badge status="frozen" />}
    </h2>
    {order.workflow_url && <NewTab href={order.workflow_url}>Workflow in the Temporal UI</NewTab>}
  </div>
);

export const OrderFacts = ({ order }: { order: OrderShown }) => (
  <Facts
    sheet
    lead
    facts={[
      ['Fiat', formatMoney(order.amount_fiat, order.currency)],
      ['To', `${describeMethod(order)} · ${order.recipient_masked}`],
      ['Value', formatUsd(order.amount_usd)],
      ['Crypto', formatCrypto(order.amount_crypto, order.crypto_symbol, order.crypto_chain)],
      ['Fee', formatUsd(order.fee_usd)],
      [
        'LP',
        order.lp_id && (
          <>
            <Named kind="lp" id={order.lp_id} name={order.lp_name} />, spread {order.spread_bps} bps
          </>
        ),
      ],
      ['Agent key', <Named kind="agent_key" id={order.agent_key_id} name={order.agent_name} />],
      ['User', <Named kind="user" id={order.user_id} name={order.user_name} />],
      ['Locked collateral', order.collateral_locked === null ? null : formatUsd(order.collateral_locked)],
      ['Slashed', order.slashed_usd === null ? null : formatUsd(order.slashed_usd)],
      ['Reason for the status', order.status_reason],
      ['Contested by', order.contested_by === null ? null : `LP ${order.contested_by}, which had lost it`],
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
      ['Webhook URL', order.callback_url && <code>{order.callback_url}</code>],
      ['Created', <Time at={order.created_at} />],
      ['Completed', order.completed_at && <Time at={order.completed_at} />],
      ['Cancelled', order.cancelled_at && <Time at={order.cancelled_at} />],
      ['Type', wordsFor(order.type)],
      ['Version', `${order.version}`],
      ['Receipt', order.receipt_url && <SaveReceipt url={order.receipt_url} />],
      ['Evidence of LPs that lost it', order.evidence.length > 0 ? <Evidence order={order} /> : null],
    ]}
  />
);

const Evidence = ({ order }: { order: OrderShown }) =>
  order.evidence.map(({ lp_id, lp_name, receipt_url, at }) => (
    <p key={receipt_url}>
      <Named kind="lp" id={lp_id} name={lp_name} />, <Time at={at} /> <SaveReceipt url={receipt_url} />
    </p>
  ));
