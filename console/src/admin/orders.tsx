import type { AdminOrder, OrderPage } from '../../../src/contract/admin-orders.ts';
import { ORDER_STATUSES } from '../../../src/domain/order-state.ts';
import { money, time, usd } from '../format.ts';
import { linkTo, type Place } from '../route.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { Read } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { type Filter, Filters } from './filters.tsx';
import { OrderDetail } from './order.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const PATH = 'orders';
const NAMES = [
  'status',
  'currency',
  'agent_key_id',
  'lp_id',
  'created_from',
  'created_to',
  'cursor',
] as const;
const FILTERS: Filter[] = [
  { name: 'status', label: 'Status', values: ORDER_STATUSES },
  { name: 'currency', label: 'Currency', type: 'text' },
  { name: 'agent_key_id', label: 'Agent key', type: 'number' },
  { name: 'lp_id', label: 'LP', type: 'number' },
  { name: 'created_from', label: 'Created from (UTC)', type: 'date' },
  { name: 'created_to', label: 'Created before (UTC)', type: 'date' },
];

/** Everybody's orders, or the one that the address names. */
export function Orders({ place }: { place: Place }) {
  const [id] = place.path;
  return id ? <OrderDetail key={id} id={id} /> : <OrderList place={place} />;
}

function OrderList({ place }: { place: Place }) {
  const filters = filtersOf(place, NAMES);
  const orders = useList<OrderPage>('/api/admin/orders', filters);
  return (
    <>
      <Filters path={PATH} filters={FILTERS} given={filters} />
      <Read resource={orders} what="the orders">
        {({ orders, next_cursor }) => (
          <>
            <OrderTable caption="Orders, newest first" orders={orders} empty="No order is like this." />
            <Paging path={PATH} place={place} filters={filters} next={next_cursor} />
          </>
        )}
      </Read>
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
  { title: 'Fiat', kind: 'number', cell: (order) => money(order.amount_fiat, order.currency) },
  { title: 'Value', kind: 'number', cell: (order) => usd(order.amount_usd) },
  { title: 'Agent key', kind: 'number', cell: (order) => order.agent_key_id },
  { title: 'LP', kind: 'number', cell: (order) => order.lp_id ?? '–' },
  { title: 'Created', cell: (order) => time(order.created_at) },
  { title: 'Due', cell: (order) => (order.timeout_at ? <Countdown until={order.timeout_at} /> : '–') },
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
  /** Columns behind the others. */
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
