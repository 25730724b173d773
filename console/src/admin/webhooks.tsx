import type {
  DeliveryPage,
  ListedDeliveryView,
} from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { DELIVERY_STATES } from '../../../src/domain/delivery-state.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Copyable } from '../ui/copyable.tsx';
import { Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Attempts, SendAgain } from '../ui/webhook-attempts.tsx';

const PATH = 'webhooks';
const ROUTE = '/api/admin/webhook-deliveries';

/** The webhooks sent to agents and LPs: every attempt with its response, and a button to send one again. */
export function Webhooks({ route }: { route: Route }) {
  const filters = readFilters(route, ['state', 'order_id', 'cursor']);
  const page = useList<DeliveryPage>(ROUTE, filters);
  return (
    <>
      <Filters
        path={PATH}
        filters={[
          { name: 'state', label: 'State', values: DELIVERY_STATES },
          { name: 'order_id', label: 'Order', type: 'number' },
        ]}
        values={filters}
      />
      <ResourceView resource={page} what="the webhooks">
        {({ deliveries, next_cursor }) => (
          <>
            <Deliveries
              caption="Webhooks, newest first"
              deliveries={deliveries}
              empty="No webhooks match. Change the filter, or empty it to see all webhooks."
              reload={page.reload}
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
    </>
  );
}

/** The webhooks of one order. */
export function OrderWebhooks({ orderId }: { orderId: number }) {
  const page = useList<DeliveryPage>(ROUTE, { order_id: String(orderId), limit: '100' });
  return (
    <ResourceView resource={page} what="the webhooks">
      {({ deliveries }) => (
        <Deliveries
          caption="Webhooks, newest first"
          deliveries={deliveries}
          empty="The service has sent no webhooks for this order yet."
          reload={page.reload}
        />
      )}
    </ResourceView>
  );
}

const Deliveries = ({
  caption,
  deliveries,
  empty,
  reload,
}: {
  caption: string;
  deliveries: ListedDeliveryView[];
  empty: string;
  reload: () => Promise<void>;
}) => (
  <Table
    caption={caption}
    columns={[
      { title: 'Webhook', cell: ({ id }) => <Copyable text={`msg_${id}`} what="id" /> },
      {
        title: 'Order',
        cell: ({ order_id }) => order_id !== null && <a href={linkTo(`orders/${order_id}`)}>#{order_id}</a>,
      },
      {
        title: 'Event',
        cell: ({ lp_event, status }) =>
          lp_event === null && status !== null ? <Badge status={status} /> : <code>{lp_event}</code>,
      },
      { title: 'State', cell: ({ state }) => <Badge status={state} /> },
      {
        title: 'To',
        cell: ({ lp_id, callback_url }) => (
          <span class="address">{lp_id === null ? callback_url : `LP ${lp_id} ${callback_url}`}</span>
        ),
      },
      { title: 'Attempts', cell: Attempts },
      {
        title: 'Action',
        kind: 'actions',
        cell: (webhook) => <SendAgain route={ROUTE} webhook={webhook} reload={reload} />,
      },
    ]}
    rows={deliveries}
    keyOf={({ id }) => id}
    empty={empty}
  />
);
