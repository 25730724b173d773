import { ApiError } from '../api.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { saveFile } from '../save-file.ts';
import { callApi, lpPath } from '../session.ts';
import { Action } from '../ui/action.tsx';
import { Address, Transaction } from '../ui/copyable.tsx';
import { Facts } from '../ui/facts.tsx';
import { OrderTimeline } from '../ui/order-timeline.tsx';
import { Failure, Loading, ResourceView } from '../ui/states.tsx';
import type { Desk } from './desk.ts';
import { LostOrder } from './lost-order.tsx';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts } from './order-card.tsx';
import { ALL_ORDERS, AllOrders, CurrentOrders, OwnStatus, showTimeLeft } from './order-lists.tsx';
import type { OwnOrder, OwnOrdersPage, PublicOrder, Timeline } from './shapes.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's current orders, all of them by page, or the one that the address names. */
export const Orders = withDesk(({ desk, route }: DeskProps) => {
  const [place] = route.path;
  if (place === undefined) return <CurrentOrders desk={desk} />;
  if (place === ALL_ORDERS) return <AllOrders desk={desk} route={route} />;
  return <OrderPage key={place} desk={desk} id={Number(place)} />;
});

/** The order that the dashboard has, or else the one that the list of all orders has. */
function OrderPage({ desk, id }: { desk: Desk; id: number }) {
  const current = desk.orders.value.find((own) => own.id === id);
  const older = useResource(
    async (signal) => {
      if (current) return { order: current };
      // The list begins below its cursor.
      const query = new URLSearchParams({ cursor: `${id + 1}`, limit: '1' });
      const { orders } = await callApi<OwnOrdersPage>('GET', lpPath(`/orders?${query}`), { signal });
      return { order: orders.find((own) => own.id === id) };
    },
    // The order can have changed whenever the dashboard is read again, for example after a step.
    [id, current, desk.dashboard.data.value],
  );
  const read = older.data.value;
  const order = current ?? read?.order;
  if (order) return <OrderDetail desk={desk} order={order} />;
  if (older.error.value) return <Failure error={older.error.value} retry={() => void older.reload()} />;
  if (read === null) return <Loading what={`order ${id}`} />;
  return <Failure error={new Error(`Order ${id} is not one of your orders`)} />;
}

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
        <a href={linkTo('orders')}>Your orders</a>
      </p>
      <article class="sheet" aria-label={`Order ${id}`}>
        <div class="row apart">
          <h2>
            Order {id} <OwnStatus order={order} />
          </h2>
          {showTimeLeft(desk, order)}
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
