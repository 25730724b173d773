import type {
  DeliveryPage,
  ListedDeliveryView,
} from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { DELIVERY_STATES } from '../../../src/domain/delivery-state.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { isPermitted } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { NotPermitted } from '../ui/permitted.tsx';
import { ResourceView } from '../ui/states.tsx';
import type { Column } from '../ui/table.tsx';
import { WebhookTable } from '../ui/webhook-table.tsx';

const PATH = 'webhooks';
const ROUTE = '/api/admin/webhook-deliveries';

/** The webhooks sent to agents and LPs: the body, every attempt with the answer, and a button to send one again. */
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
      <NotPermitted permission="webhooks:redeliver" />
      <ResourceView resource={page} what="the webhooks">
        {({ deliveries, next_cursor }) => (
          <>
            <Deliveries
              webhooks={deliveries}
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
      {({ deliveries, next_cursor }) => (
        <>
          <Deliveries
            webhooks={deliveries}
            empty="The service has sent no webhooks for this order yet."
            reload={page.reload}
          />
          {next_cursor !== null && (
            <p>
              <a href={linkTo(PATH, { order_id: orderId, cursor: next_cursor })}>
                Older webhooks of the order
              </a>
            </p>
          )}
        </>
      )}
    </ResourceView>
  );
}

const Deliveries = (shown: {
  webhooks: readonly ListedDeliveryView[];
  empty: string;
  reload: () => Promise<void>;
}) => (
  <WebhookTable
    caption="Webhooks, newest first"
    route={ROUTE}
    columns={COLUMNS}
    maySend={isPermitted('webhooks:redeliver')}
    {...shown}
  />
);

const COLUMNS: Column<ListedDeliveryView>[] = [
  {
    title: 'Event, to',
    cell: ({ lp_event, status, lp_id, callback_url }) => (
      <span>
        {lp_event === null && status !== null ? <Badge status={status} /> : <code>{lp_event}</code>}
        <small class="second address">{lp_id === null ? callback_url : `LP ${lp_id} ${callback_url}`}</small>
      </span>
    ),
  },
];
