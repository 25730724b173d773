import type { OrderPage } from '../../../src/contract/admin-orders.ts';
import { linkTo, type Place } from '../route.ts';
import { Read } from '../ui/states.tsx';
import { Dispute } from './dispute.tsx';
import { OrderTable } from './orders.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const PATH = 'disputes';

/** The orders that wait for an admin's word, or the one that the address names. */
export function Disputes({ place }: { place: Place }) {
  const [id] = place.path;
  return id ? <Dispute key={id} id={id} /> : <DisputeList place={place} />;
}

function DisputeList({ place }: { place: Place }) {
  const filters = filtersOf(place, ['cursor']);
  const disputed = useList<OrderPage>('/api/admin/orders', { status: 'disputed', ...filters });
  return (
    <Read resource={disputed} what="the disputes">
      {({ orders, next_cursor }) => (
        <>
          <OrderTable
            caption="Disputed orders, newest first"
            orders={orders}
            empty="No order is disputed."
            more={[
              { title: 'Why', cell: ({ status_reason }) => status_reason ?? '–' },
              {
                title: 'Action',
                kind: 'actions',
                cell: ({ id }) => (
                  <a href={linkTo(`${PATH}/${id}`)} aria-label={`Look into the dispute of order ${id}`}>
                    Look into it
                  </a>
                ),
              },
            ]}
          />
          <Paging path={PATH} place={place} filters={filters} next={next_cursor} />
        </>
      )}
    </Read>
  );
}
