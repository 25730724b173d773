import type { ListedDeliveryView } from '../api/resources/webhook-deliveries/schemas.ts';
import { PAGES, page } from './cli.ts';
import { command } from './command.ts';
import { minute, tableOf } from './output.ts';

const PATH = '/api/admin/webhook-deliveries';

const deliveryTable = tableOf<ListedDeliveryView>({
  ...{ id: 'id', order: 'order_id' },
  reports: ({ lp_event, status }) => lp_event ?? status,
  state: 'state',
  attempts: (delivery) => delivery.attempts.length,
  'last answer': ({ attempts }) => attempts.at(-1)?.status_code ?? attempts.at(-1)?.error ?? null,
  'last try (UTC)': ({ attempts }) => minute(attempts.at(-1)?.at ?? null),
  ...{ 'created (UTC)': 'created_at', 'agent key': 'agent_key_id' },
  to: ({ lp_id, callback_url }) => (lp_id === null ? callback_url : `LP ${lp_id} ${callback_url}`),
});

/** `webhooks`: the deliveries to agents and LPs, and their results. */
export const WEBHOOK_COMMANDS = [
  command('webhooks list', 'webhooks, newest first, with the last answer of their receivers', {
    call: `GET ${PATH}`,
    options: {
      ...PAGES,
      '--state <state>': 'pending, delivered or exhausted',
      '--order <id>': 'webhooks of this order',
    },
    print: page('deliveries', deliveryTable),
  }),
  command('webhooks redeliver <id>', 'send a webhook again: the same bytes, with up to three new attempts', {
    call: `POST ${PATH}/:id/redeliver`,
    fields: () => ({}),
    print: (_, { id }) => `Webhook ${id} is sent again.`,
  }),
];
