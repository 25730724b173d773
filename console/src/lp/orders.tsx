import { useSignal } from '@preact/signals';
import { ApiError, download } from '../api.ts';
import { money, time, usd } from '../format.ts';
import { useResource } from '../resource.ts';
import { linkTo } from '../route.ts';
import { ask, lpPath } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Field, wordsFor } from '../ui/form.tsx';
import { Failure, Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { TimelineList } from '../ui/timeline.tsx';
import { toast } from '../ui/toasts.tsx';
import type { Desk } from './desk.ts';
import { OrderActions } from './order-actions.tsx';
import { OrderFacts } from './order-card.tsx';
import type { OwnOrder, PublicOrder, Timeline } from './shapes.ts';
import { type DeskProps, withDesk } from './with-desk.tsx';

/** The LP's own orders, or with an id one of them. */
export const Orders = withDesk(({ desk, place }: DeskProps) => {
  const [id] = place.path;
  if (id === undefined) return <OwnOrders desk={desk} />;
  const order = desk.orders.value.find((own) => String(own.id) === id);
  if (!order) return <Failure error={new Error(`Order ${id} is not among your newest orders`)} />;
  return <OneOrder key={id} desk={desk} order={order} />;
});

const OwnOrders = ({ desk }: { desk: Desk }) => (
  <Table
    caption="Your newest orders"
    columns={[
      { title: 'Order', cell: ({ id }) => <a href={linkTo(`orders/${id}`)}>Order {id}</a> },
      {
        title: 'Status',
        cell: (order) => (order.owned ? <Badge status={order.status} /> : <Badge status="let go" />),
      },
      { title: 'You send', kind: 'number', cell: (order) => money(order.amount_fiat, order.currency) },
      { title: 'Profit', kind: 'number', cell: (order) => usd(order.est_profit_usd) },
      {
        title: 'Left',
        kind: 'number',
        cell: (order) => (order.owned && order.timeout_at ? <Countdown until={order.timeout_at} /> : '–'),
      },
      { title: 'Made', kind: 'number', cell: (order) => time(order.created_at) },
    ]}
    rows={desk.orders.value}
    keyOf={({ id }) => id}
    empty={
      <>
        You have had no order yet. The <a href={linkTo('market')}>market</a> has those that are open.
      </>
    }
  />
);

function OneOrder({ desk, order }: { desk: Desk; order: OwnOrder }) {
  const reason = useSignal('');
  const { id, status, owned } = order;
  const timeline = useResource(
    (signal) => ask<Timeline>('GET', lpPath(desk.key, `/orders/${id}/timeline`), { signal }),
    // What is only believed is not on the timeline yet.
    [id, status, owned, desk.beliefs.value.has(id)],
  );
  return (
    <>
      <p>
        <a href={linkTo('orders')}>All your orders</a>
      </p>
      <article class="sheet" aria-label={`Order ${id}`}>
        <div class="row apart">
          <h2>
            Order {id} <Badge status={owned ? status : 'let go'} />
          </h2>
          {owned && order.timeout_at && <Countdown until={order.timeout_at} />}
        </div>
        <OrderFacts order={order} />
        {owned && (
          <dl class="facts">
            <div>
              <dt>Your address</dt>
              <dd>{order.lp_receive_address ?? '…'}</dd>
            </div>
            <div>
              <dt>Transaction</dt>
              <dd>{order.user_crypto_tx_hash ?? 'none yet'}</dd>
            </div>
          </dl>
        )}
        {owned && (status === 'claimed' || status === 'fiat_sent') && (
          <Field
            label="Reason"
            hint="For giving back or disputing; stands on the timeline, where the agent reads it. No names or numbers of people."
            value={reason.value}
            maxLength={300}
            onInput={(event) => {
              reason.value = event.currentTarget.value;
            }}
          />
        )}
        <OrderActions desk={desk} order={order} reason={reason.value.trim()} />
        {owned && <SavedReceipt desk={desk} id={id} />}
      </article>
      <h2>What has become of it</h2>
      <Read resource={timeline} what="the timeline">
        {(read) => <TimelineList timeline={read} />}
      </Read>
    </>
  );
}

/** The latest receipt, as the service has it. */
function SavedReceipt({ desk, id }: { desk: Desk; id: number }) {
  const save = async () => {
    try {
      const { receipt_url } = await ask<PublicOrder>('GET', `/api/orders/${id}`);
      if (!receipt_url) return toast({ tone: 'bad', text: `Order ${id} has no receipt yet` });
      // Its address is as others see it; the page talks to its own server alone.
      const { content, name } = await download(new URL(receipt_url).pathname, desk.key);
      saveAs(content, name);
    } catch (error) {
      const missing = error instanceof ApiError && error.status === 404;
      toast({ tone: 'bad', text: missing ? `Order ${id} has no receipt yet` : wordsFor(error) });
    }
  };
  return (
    <p>
      <button type="button" class="quiet" onClick={() => void save()}>
        Download the receipt
      </button>
    </p>
  );
}

function saveAs(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
