import type { DeliveryPage, ListedDeliveryView } from '../../../src/contract/webhook-deliveries.ts';
import { DELIVERY_STATES } from '../../../src/domain/delivery-state.ts';
import { time } from '../format.ts';
import { linkTo, type Place } from '../route.ts';
import { ask } from '../session.ts';
import { Badge } from '../ui/badge.tsx';
import { Read } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Action } from './action.tsx';
import { Filters } from './filters.tsx';
import { Paging } from './paging.tsx';
import { filtersOf, useList } from './query.ts';

const PATH = 'webhooks';
const ROUTE = '/api/admin/webhook-deliveries';

/** What agents were told, what they answered, and another try. */
export function Webhooks({ place }: { place: Place }) {
  const filters = filtersOf(place, ['state', 'order_id', 'cursor']);
  const page = useList<DeliveryPage>(ROUTE, filters);
  return (
    <>
      <Filters
        path={PATH}
        filters={[
          { name: 'state', label: 'State', values: DELIVERY_STATES },
          { name: 'order_id', label: 'Order', type: 'number' },
        ]}
        given={filters}
      />
      <Read resource={page} what="the webhooks">
        {({ deliveries, next_cursor }) => (
          <>
            <Deliveries
              caption="Webhooks, newest first"
              deliveries={deliveries}
              empty="No webhook is like this."
              sent={page.reload}
            />
            <Paging path={PATH} place={place} filters={filters} next={next_cursor} />
          </>
        )}
      </Read>
    </>
  );
}

/** Those of one order. */
export function OrderWebhooks({ orderId }: { orderId: number }) {
  const page = useList<DeliveryPage>(ROUTE, { order_id: String(orderId), limit: '100' });
  return (
    <Read resource={page} what="its webhooks">
      {({ deliveries }) => (
        <Deliveries
          caption="Webhooks, newest first"
          deliveries={deliveries}
          empty="It has told its agent nothing yet."
          sent={page.reload}
        />
      )}
    </Read>
  );
}

const Deliveries = ({
  caption,
  deliveries,
  empty,
  sent,
}: {
  caption: string;
  deliveries: ListedDeliveryView[];
  empty: string;
  sent: () => Promise<void>;
}) => (
  <Table
    caption={caption}
    columns={[
      { title: 'Webhook', cell: ({ id }) => `msg_${id}` },
      { title: 'Order', cell: ({ order_id }) => <a href={linkTo(`orders/${order_id}`)}>#{order_id}</a> },
      { title: 'Tells of', cell: ({ status }) => <Badge status={status} /> },
      { title: 'State', cell: ({ state }) => <Badge status={state} /> },
      { title: 'To', cell: ({ callback_url }) => <span class="address">{callback_url}</span> },
      { title: 'Attempts', cell: Attempts },
      {
        title: 'Action',
        kind: 'actions',
        cell: ({ id, state }) =>
          state !== 'pending' && (
            <Action
              label={`Send msg_${id} again`}
              done={`msg_${id} is sent again.`}
              run={async () => {
                await ask('POST', `${ROUTE}/${id}/redeliver`, { body: {} });
                await sent();
              }}
            >
              Send again
            </Action>
          ),
      },
    ]}
    rows={deliveries}
    keyOf={({ id }) => id}
    empty={empty}
  />
);

const Attempts = ({ attempts }: ListedDeliveryView) =>
  attempts.length === 0 ? (
    'none yet'
  ) : (
    <details>
      <summary>
        {attempts.length}, the last: {answerOf(attempts.at(-1))}
      </summary>
      <ol class="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.attempt} value={attempt.attempt}>
            {answerOf(attempt)} after {attempt.duration_ms} ms, {time(attempt.at)}
          </li>
        ))}
      </ol>
    </details>
  );

const answerOf = (attempt: ListedDeliveryView['attempts'][number] | undefined): string =>
  attempt ? [attempt.status_code, attempt.error].filter((part) => part !== null).join(' ') : '';
