import type { OrderPage } from '../../../src/api/resources/admin-orders/schemas.ts';
import { readFilters, useList } from '../list-resource.ts';
import { linkTo, type Route } from '../route.ts';
import { Paging } from '../ui/paging.tsx';
import { ResourceView } from '../ui/states.tsx';
import { Dispute } from './dispute.tsx';
import { OrderTable } from './orders.tsx';

const PATH = 'disputes';

/** The disputed and frozen orders, or the dispute that the address names. */
export function Disputes({ route }: { route: Route }) {
  const [id] = route.path;
  return id ? <Dispute key={id} id={id} /> : <DisputeList route={route} />;
}

function DisputeList({ route }: { route: Route }) {
  const filters = readFilters(route, ['cursor']);
  const waiting = useList<OrderPage>('/api/admin/orders', { waits_for_admin: 'true', ...filters });
  return (
    <ResourceView resource={waiting} what="the disputes">
      {({ orders, next_cursor }) => (
        <>
          <OrderTable
            caption="Disputed and frozen orders, newest first"
            orders={orders}
            empty="No order waits for you. Disputed and frozen orders appear here."
            more={[
              { title: 'Reason', cell: ({ status_reason }) => status_reason ?? '–' },
              {
                title: 'Action',
                kind: 'actions',
                cell: ({ id, status }) =>
                  status === 'disputed' ? (
                    <a href={linkTo(`${PATH}/${id}`)} aria-label={`Review the dispute of order ${id}`}>
                      Review
                    </a>
                  ) : (
                    <a href={linkTo(`orders/${id}`)} aria-label={`Review the frozen order ${id}`}>
                      Review
                    </a>
                  ),
              },
            ]}
          />
          <Paging path={PATH} route={route} filters={filters} next={next_cursor} />
        </>
      )}
    </ResourceView>
  );
}
