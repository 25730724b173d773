import type { z } from 'zod';
import type { ordersResponse } from '../../../src/api/resources/agent-orders/schemas.ts';
import { ORDER_STATUSES } from '../../../src/domain/order-state.ts';
import { formatMoney } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { type Filter, Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { OrderDetail } from './order.tsx';
import { Scoped } from './scoped.tsx';

type OrdersPage = z.output<typeof ordersResponse>;

const PATH = 'orders';
const FILTERS: Filter[] = [
  { name: 'status', label: 'Status', values: ORDER_STATUSES },
  { name: 'currency', label: 'Currency', type: 'text' },
  { name: 'created_from', label: 'Created from (UTC)', type: 'date' },
  { name: 'created_to', label: 'Created before (UTC)', type: 'date' },
];
const NAMES = ['status', 'currency', 'created_from', 'created_to', 'cursor'] as const;

/** The agent's own orders, or the one that the address names. */
export function Orders({ route }: { route: Route }) {
  const [id] = route.path;
  return id ? <OrderDetail key={id} id={id} /> : <OrderList route={route} />;
}

function OrderList({ route }: { route: Route }) {
  const filters = readFilters(route, NAMES);
  const orders = useList<OrdersPage>('/api/v1/orders', filters);
  return (
    <>
      <Filters path={PATH} filters={FILTERS} values={filters} />
      <Scoped scope="read" resource={orders} what="your orders">
        {({ orders, next_cursor }) => (
          <>
            <Table
              caption="Your orders, newest first"
              columns={COLUMNS}
              rows={orders}
              keyOf={({ order_id }) => order_id}
              empty={Object.keys(filters).length > 0 ? NONE_MATCH : NONE_YET}
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
    No orders match. <a href={linkTo(PATH)}>Show all your orders</a>
  </>
);
const NONE_YET = (
  <>
    Your key has no orders yet. Create one with <code>POST /api/v1/pay</code>:{' '}
    <a href="/docs">API reference</a>
  </>
);

const COLUMNS: Column<OrdersPage['orders'][number]>[] = [
  { title: 'Order', cell: ({ order_id: id }) => <a href={linkTo(`${PATH}/${id}`)}>#{id}</a> },
  { title: 'Status', cell: ({ status }) => <Badge status={status} /> },
  {
    title: 'Fiat',
    kind: 'number',
    cell: ({ amount_fiat, currency }) => formatMoney(amount_fiat, currency),
  },
  {
    title: 'Crypto',
    kind: 'number',
    cell: ({ crypto_amount, crypto_symbol }) => formatMoney(crypto_amount, crypto_symbol),
  },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Completed', cell: ({ completed_at }) => (completed_at ? <Time at={completed_at} /> : '–') },
];
