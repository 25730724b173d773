import './agent.css';
import type { DeliveriesPage, DeliveryView } from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { DELIVERY_STATES } from '../../../src/domain/delivery-state.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { type Filter, Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { Table } from '../ui/table.tsx';
import { Attempts, SendAgain } from '../ui/webhook-attempts.tsx';
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
            <Deliveries
              caption="Your webhooks, newest order first"
              deliveries={deliveries}
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
        <Deliveries
          caption="Webhooks, oldest first"
          deliveries={deliveries}
          empty="Corridor has sent no webhooks for this order yet. The first one reports the claim of an LP."
          reload={page.reload}
        />
      )}
    </Scoped>
  );
}

const Deliveries = ({
  caption,
  deliveries,
  empty,
  reload,
}: {
  caption: string;
  deliveries: DeliveryView[];
  empty: string | typeof NONE_YET;
  reload: () => Promise<void>;
}) => (
  <Table
    caption={caption}
    columns={[
      { title: 'Webhook', cell: ({ id }) => `msg_${id}` },
      { title: 'Order', cell: ({ order_id: id }) => <a href={linkTo(`orders/${id}`)}>#{id}</a> },
      { title: 'Reports', cell: ({ status }) => <Badge status={status} /> },
      { title: 'State', cell: ({ state }) => <Badge status={state} /> },
      { title: 'Body', cell: ({ body }) => (body === null ? '–' : <Body text={body} />) },
      { title: 'Attempts and answers', cell: Attempts },
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

const Body = ({ text }: { text: string }) => (
  <details>
    <summary>Show</summary>
    <pre class="sent">{text}</pre>
  </details>
);
