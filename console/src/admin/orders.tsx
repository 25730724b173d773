import type { AdminOrder, OrderPage } from '../../../src/api/resources/admin-orders/schemas.ts';
import { ORDER_STATUSES } from '../../../src/domain/order-state.ts';
import { formatMoney, formatUsd } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { type Filter, Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { Named } from './named.tsx';
import { OrderDetail } from './order.tsx';

const PATH = 'orders';
const NAMES = [
  'status',
  'currency',
  'agent_key_id',
  'lp_id',
  'revoked_agent',
  'waits_for_admin',
  'created_from',
  'created_to',
  'cursor',
] as const;
const FILTERS: Filter[] = [
  { name: 'status', label: 'Status', values: ORDER_STATUSES },
  { name: 'currency', label: 'Currency', type: 'text' },
  { name: 'agent_key_id', label: 'Agent key', type: 'number' },
  { name: 'lp_id', label: 'LP', type: 'number' },
  { name: 'revoked_agent', label: 'Revoked agents', values: ['true'], isRare: true },
  { name: 'waits_for_admin', label: 'Waits for an admin', values: ['true'], isRare: true },
  { name: 'created_from', label: 'Created from (UTC)', type: 'date', isRare: true },
  { name: 'created_to', label: 'Created before (UTC)', type: 'date', isRare: true },
];

/** All orders, or the one that the address names. */
export function Orders({ route }: { route: Route }) {
  const [id] = route.path;
  return id ? <OrderDetail key={id} id={id} /> : <OrderList route={route} />;
}

function OrderList({ route }: { route: Route }) {
  const filters = readFilters(route, NAMES);
  const orders = useList<OrderPage>('/api/admin/orders', filters);
  return (
    <>
      <Filters path={PATH} filters={FILTERS} values={filters} />
      <ResourceView resource={orders} what="the orders">
        {({ orders, next_cursor }) => (
          <>
            <OrderTable
              caption="Orders, newest first"
              orders={orders}
              empty="No orders match. Change the filter, or empty it to see all orders."
            />
            <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
    </>
  );
}

const COLUMNS: Column<AdminOrder>[] = [
  { title: 'Order', cell: ({ id }) => <a href={linkTo(`${PATH}/${id}`)}>#{id}</a> },
  {
    title: 'Status',
    cell: ({ status, frozen }) => (
      <>
        <Badge status={status} /> {frozen && <Badge status="frozen" />}
      </>
    ),
  },
  { title: 'Fiat', kind: 'number', cell: (order) => formatMoney(order.amount_fiat, order.currency) },
  { title: 'Value', kind: 'number', cell: (order) => formatUsd(order.amount_usd) },
  {
    title: 'Agent key',
    cell: ({ agent_key_id }) => <Named kind="agent_key" id={agent_key_id} />,
  },
  { title: 'LP', cell: ({ lp_id }) => (lp_id ? <Named kind="lp" id={lp_id} /> : '–') },
  { title: 'Created', cell: (order) => <Time at={order.created_at} /> },
  {
    title: 'Time left',
    cell: (order) =>
      order.timeout_at ? <Countdown until={order.timeout_at} isStopped={order.clock_stopped} /> : '–',
  },
];

export const OrderTable = ({
  caption,
  orders,
  empty,
  more = [],
}: {
  caption: string;
  orders: AdminOrder[];
  empty: string;
  /** Columns to the right of the common ones. */
  more?: Column<AdminOrder>[];
}) => (
  <Table
    caption={caption}
    columns={[...COLUMNS, ...more]}
    rows={orders}
    keyOf={({ id }) => id}
    empty={empty}
  />
);
