import { ApiError } from '../api.ts';
import { describeMethod } from '../delivery.ts';
import { formatMoney, formatProfit } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { saveFile } from '../save-file.ts';
import { callApi, lpPath } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Badge } from '../ui/badge.tsx';
import { Address, Transaction } from '../ui/copyable.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Facts } from '../ui/facts.tsx';
import { OrderTimeline } from '../ui/order-timeline.tsx';
import { Failure, ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { Desk } from './desk.ts';
import { isStopped } from './incidents.tsx';
import { LostOrder } from './lost-order.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts } from './order-card.tsx';
import type { OwnOrder, PublicOrder, Timeline } from './shapes.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's newest orders, or the one that the address names. */
export const Orders = withDesk(({ desk, route }: DeskProps) => {
  const [id] = route.path;
  if (id === undefined) return <OwnOrders desk={desk} />;
  const order = desk.orders.value.find((own) => String(own.id) === id);
  if (!order) return <Failure error={new Error(`Order ${id} is not among your newest orders`)} />;
  return <OrderDetail key={id} desk={desk} order={order} />;
});

/** Shown in place of the status when another LP may have the order now. */
const NOT_OWNED = 'no longer yours';

const OwnOrders = ({ desk }: { desk: Desk }) => (
  <Table
    caption="Your newest orders"
    columns={[
      { title: 'Order', cell: ({ id }) => <a href={linkTo(`orders/${id}`)}>Order {id}</a> },
      {
        title: 'Status',
        cell: (order) => <Badge status={order.owned ? order.status : NOT_OWNED} />,
      },
      { title: 'You send', kind: 'number', cell: (order) => formatMoney(order.amount_fiat, order.currency) },
      { title: 'By', cell: describeMethod },
      { title: 'Profit', kind: 'number', cell: (order) => formatProfit(order.est_profit_usd) },
      {
        title: 'Time left',
        kind: 'number',
        cell: (order) =>
          order.owned && order.timeout_at ? (
            <Countdown until={order.timeout_at} isStopped={isStopped(desk, order)} />
          ) : (
            '–'
          ),
      },
      { title: 'Created', kind: 'number', cell: (order) => <Time at={order.created_at} /> },
    ]}
    rows={desk.orders.value}
    keyOf={({ id }) => id}
    empty={
      <>
        You have no orders yet. Claim one on the <a href={linkTo('market')}>market</a>.
      </>
    }
  />
);

function OrderDetail({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const { id, status, owned } = order;
  const timeline = useResource(
    (signal) => callApi<Timeline>('GET', lpPath(`/orders/${id}/timeline`), { signal }),
    // The timeline contains a step only after the service has accepted it.
    [id, status, owned, desk.optimistic.value.has(id)],
  );
  return (
    <>
      <p>
        <a href={linkTo('orders')}>All your orders</a>
      </p>
      <article class="sheet" aria-label={`Order ${id}`}>
        <div class="row apart">
          <h2>
            Order {id} <Badge status={owned ? status : NOT_OWNED} />
          </h2>
          {owned && order.timeout_at && (
            <Countdown until={order.timeout_at} isStopped={isStopped(desk, order)} />
          )}
        </div>
        <OrderFacts order={order} />
        {owned && (
          <Facts
            facts={[
              [
                'Your address',
                order.lp_receive_address === null ? (
                  '…'
                ) : (
                  <Address chain={order.crypto_chain} address={order.lp_receive_address} />
                ),
              ],
              ['Its destination tag', order.destination_tag === null ? null : `${order.destination_tag}`],
              [
                'Transaction',
                order.user_crypto_tx_hash === null ? (
                  'none yet'
                ) : (
                  <Transaction chain={order.crypto_chain} hash={order.user_crypto_tx_hash} />
                ),
              ],
            ]}
          />
        )}
        <OrderActions desk={desk} order={order} />
        {owned && <DownloadReceipt id={id} />}
      </article>
      {!owned && timeline.data.value && (
        <LostOrder desk={desk} order={order} timeline={timeline.data.value} reload={timeline.reload} />
      )}
      <ResourceView resource={timeline} what="the timeline">
        {(read) => <OrderTimeline timeline={read} />}
      </ResourceView>
    </>
  );
}

/** Saves the latest receipt of the order. */
function DownloadReceipt({ id }: { id: number }) {
  const save = async () => {
    const order = await callApi<PublicOrder>('GET', `/api/orders/${id}`);
    if (!order.receipt_url) throw new Error(`Order ${id} has no receipt yet`);
    await saveFile(order.receipt_url).catch((error) => {
      throw error instanceof ApiError && error.status === 404
        ? new Error(`Order ${id} has no receipt yet`)
        : error;
    });
  };
  return (
    <p>
      <Action run={save} successText={`The receipt of order ${id} is saved.`}>
        Download the receipt
      </Action>
    </p>
  );
}
