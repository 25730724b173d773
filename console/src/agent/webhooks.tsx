import type { DeliveriesPage, DeliveryView } from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { DELIVERY_STATES } from '../../../src/domain/delivery-state.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { type Filter, Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import type { Column } from '../ui/table.tsx';
import { WebhookTable } from '../ui/webhook-table.tsx';
import { Scoped } from './scoped.tsx';

const PATH = 'webhooks';
const ROUTE = '/api/v1/webhook-deliveries';
const FILTERS: Filter[] = [{ name: 'state', label: 'State', values: DELIVERY_STATES }];

/** The agent's webhooks: the body of each, every attempt with the answer, and a button to send it again. */
export function Webhooks({ route }: { route: Route }) {
  const filters = readFilters(route, ['state', 'cursor']);
  const page = useList<DeliveriesPage>(ROUTE, filters);
  return (
    <>
      <Filters path={PATH} filters={FILTERS} values={filters} />
      <Scoped scope="webhooks" resource={page} what="your webhooks">
        {({ deliveries, next_cursor }) => (
          <>
            <WebhookTable
              caption="Your webhooks, newest order first"
              route={ROUTE}
              columns={COLUMNS}
              webhooks={deliveries}
              empty={Object.keys(filters).length > 0 ? NONE_MATCH : NONE_YET}
              reload={page.reload}
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </Scoped>
    </>
  );
}

const NONE_MATCH = (
  <>
    No webhooks match. <a href={linkTo(PATH)}>Show all your webhooks</a>
  </>
);
const NONE_YET = (
  <>
    Corridor has sent you no webhooks yet. Give a payment a <code>callback_url</code>, and Corridor posts each
    change of the order’s status to it.
  </>
);

/** The webhooks of one order. */
export function OrderWebhooks({ orderId }: { orderId: number }) {
  const page = useList<DeliveriesPage>(ROUTE, { order_id: String(orderId) });
  return (
    <Scoped scope="webhooks" resource={page} what="the webhooks">
      {({ deliveries }) => (
        <WebhookTable
          caption="Webhooks, oldest first"
          route={ROUTE}
          columns={COLUMNS}
          webhooks={deliveries}
          empty="Corridor has sent no webhooks for this order yet. The first one reports the claim of an LP."
          reload={page.reload}
        />
      )}
    </Scoped>
  );
}

const COLUMNS: Column<DeliveryView>[] = [
  { title: 'Reports', cell: ({ status }) => <Badge status={status} /> },
];
