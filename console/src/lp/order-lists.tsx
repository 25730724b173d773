import { ORDER_STATUSES } from '../../../src/domain/order-state.ts';
import { describeMethod } from '../delivery.ts';
import { formatMoney, formatProfit } from '../format.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { lpPath } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Countdown } from '../ui/countdown.tsx';
import { type Filter, Filters } from '../ui/filters.tsx';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import type { Desk } from './desk.ts';
import { isStopped } from './incidents.tsx';
import type { OwnOrder, OwnOrdersPage } from './shapes.ts';

/** The part of the address that leads to all orders. An order's id stands in its place. */
export const ALL_ORDERS = 'all';

const PATH = `orders/${ALL_ORDERS}`;
const FILTERS: Filter[] = [{ name: 'status', label: 'Status', values: ORDER_STATUSES }];

/** The orders of the dashboard, which follow each change. */
export const CurrentOrders = ({ desk }: { desk: Desk }) => (
  <>
    <Table
      caption="Your active and newest orders"
      columns={buildColumns(desk)}
      rows={desk.orders.value}
      keyOf={({ id }) => id}
      empty={
        <>
          You have no orders yet. Claim one on the <a href={linkTo('market')}>market</a>.
        </>
      }
    />
    <p>
      <a href={linkTo(PATH)}>All your orders</a>
    </p>
  </>
);

/** Every order that the LP owns or owned, by page. */
export function AllOrders({ desk, route }: { desk: Desk; route: Route }) {
  const filters = readFilters(route, ['status', 'cursor']);
  const orders = useList<OwnOrdersPage>(lpPath('/orders'), filters);
  return (
    <>
      <Filters path={PATH} filters={FILTERS} values={filters} />
      <ResourceView resource={orders} what="your orders">
        {({ orders, next_cursor }) => (
          <>
            <Table
              caption="All your orders, newest first"
              columns={buildColumns(desk)}
              rows={orders}
              keyOf={({ id }) => id}
              empty={
                <>
                  No orders match. <a href={linkTo('orders')}>Show your current orders</a>
                </>
              }
            />
            <Paging path="orders" route={route} filters={filters} next={next_cursor} />
          </>
        )}
      </ResourceView>
    </>
  );
}

const buildColumns = (desk: Desk): Column<OwnOrder>[] => [
  { title: 'Order', cell: ({ id }) => <a href={linkTo(`orders/${id}`)}>Order {id}</a> },
  { title: 'Status', cell: (order) => <OwnStatus order={order} /> },
  { title: 'You send', kind: 'number', cell: (order) => formatMoney(order.amount_fiat, order.currency) },
  { title: 'By', cell: describeMethod },
  { title: 'Profit', kind: 'number', cell: (order) => formatProfit(order.est_profit_usd) },
  { title: 'Time left', kind: 'number', cell: (order) => showTimeLeft(desk, order) ?? '–' },
  { title: 'Created', kind: 'number', cell: (order) => <Time at={order.created_at} /> },
];

/** The order's status, or that another LP may have the order now. */
export const OwnStatus = ({ order: { owned, status } }: { order: OwnOrder }) => (
  <Badge status={owned ? status : 'no longer yours'} />
);

/** The time until the order's deadline. Null: the LP has none to keep. */
export const showTimeLeft = (desk: Desk, order: OwnOrder) =>
  order.owned && order.timeout_at ? (
    <Countdown until={order.timeout_at} isStopped={isStopped(desk, order)} />
  ) : null;
