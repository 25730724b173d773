import './webhook-table.css';
import type { ComponentChildren } from 'preact';
import type {
  DeliveryView,
  ListedDeliveryView,
} from '../../../src/api/resources/webhook-deliveries/schemas.ts';
import { linkTo } from '../route.ts';
import { callApi } from '../session.ts';
import { Action } from './action.tsx';
import { Badge } from './badge.tsx';
import { Copyable } from './copyable.tsx';
import { type Column, Table } from './table.tsx';
import { Time } from './time.tsx';

type Attempt = DeliveryView['attempts'][number];

/**
 * Webhooks with their bodies, every attempt with the answer, and a button to send each again. `route`: the list that they are in.
 * `columns`: what only agents or only admins see.
 */
export const WebhookTable = <Webhook extends DeliveryView | ListedDeliveryView>({
  caption,
  route,
  columns,
  webhooks,
  empty,
  reload,
  maySend = true,
}: {
  caption: string;
  route: string;
  columns: Column<Webhook>[];
  webhooks: readonly Webhook[];
  empty: ComponentChildren;
  reload: () => Promise<void>;
  /** Whether the caller may send webhooks again. */
  maySend?: boolean;
}) => (
  <Table
    caption={caption}
    columns={[
      { title: 'Webhook', cell: ({ id }) => <Copyable text={`msg_${id}`} what="id" /> },
      {
        title: 'Order',
        cell: ({ order_id: id }) => (id === null ? '–' : <a href={linkTo(`orders/${id}`)}>#{id}</a>),
      },
      ...columns,
      { title: 'State', cell: ({ state }) => <Badge status={state} /> },
      { title: 'Body', cell: ({ body }) => (body === null ? '–' : <Body text={body} />) },
      { title: 'Attempts and answers', cell: Attempts },
      ...(maySend
        ? [
            {
              title: 'Action',
              kind: 'actions' as const,
              cell: (webhook: Webhook) => <SendAgain route={route} webhook={webhook} reload={reload} />,
            },
          ]
        : []),
    ]}
    rows={webhooks}
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

/** The attempts, with what the receiver answered, as text: the receiver has written it. */
const Attempts = ({ attempts }: { attempts: readonly Attempt[] }) =>
  attempts.length === 0 ? (
    'none yet'
  ) : (
    <details>
      <summary>
        {attempts.length}, the last: {describeResponse(attempts.at(-1))}
      </summary>
      <ol class="attempts">
        {attempts.map((attempt) => (
          <li key={attempt.attempt} value={attempt.attempt}>
            {describeResponse(attempt)} after {attempt.duration_ms} ms, <Time at={attempt.at} />
            {attempt.answer && <pre>{attempt.answer}</pre>}
          </li>
        ))}
      </ol>
    </details>
  );

const describeResponse = (attempt: Attempt | undefined): string =>
  attempt ? [attempt.status_code, attempt.error].filter((part) => part !== null).join(' ') : '';

/** Whether the service would refuse to send it: it has not finished, its order was masked, or its LP receives no webhooks. */
function cannotBeSent(webhook: DeliveryView | ListedDeliveryView): boolean {
  const toLp = 'lp_id' in webhook && webhook.lp_id !== null;
  return webhook.state === 'pending' || (toLp ? webhook.callback_url === '' : webhook.body === null);
}

const SendAgain = ({
  route,
  webhook,
  reload,
}: {
  route: string;
  webhook: DeliveryView | ListedDeliveryView;
  reload: () => Promise<void>;
}) => {
  if (cannotBeSent(webhook)) return null;
  const { id } = webhook;
  return (
    <Action
      label={`Send again: msg_${id}`}
      successText={`msg_${id} is sent again.`}
      run={async () => {
        await callApi('POST', `${route}/${id}/redeliver`, { body: {} });
        await reload();
      }}
    >
      Send again
    </Action>
  );
};
