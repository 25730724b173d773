import type { Command } from 'commander';
import type { DeliveryPage, ListedDeliveryView } from '../api/resources/webhook-deliveries/schemas.ts';
import { type Cli, idArgument, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { minute, table } from './output.ts';

const PATH = '/api/admin/webhook-deliveries';

/** `webhooks`: the deliveries to agents and LPs, and their results. */
export function addWebhookCommands(program: Command, { call, show }: Cli): void {
  const webhooks = program.command('webhooks').description('webhooks of all agents and LPs');

  withPages(webhooks.command('list'))
    .description('webhooks, newest first, with the last answer of their receivers')
    .option('--state <state>', 'pending, delivered or exhausted')
    .option('--order <id>', 'webhooks of this order')
    .action(async ({ limit, cursor, state, order }: PageOptions & { state?: string; order?: string }) => {
      const path = pathWith(PATH, { limit, cursor, state, order_id: order });
      const page = await call<DeliveryPage>('GET', path);
      show(page, ({ deliveries, next_cursor }) => paged(deliveryTable(deliveries), next_cursor));
    });

  webhooks
    .command('redeliver')
    .description('send a webhook again: the same bytes, with up to three new attempts')
    .argument('<id>', 'the webhook', idArgument)
    .action(async (id: number) => {
      const done = await call('POST', `${PATH}/${id}/redeliver`, {});
      show(done, () => `Webhook ${id} is sent again.`);
    });
}

const deliveryTable = (deliveries: ListedDeliveryView[]): string =>
  table(deliveries, {
    id: (delivery) => delivery.id,
    order: (delivery) => delivery.order_id,
    reports: ({ lp_event, status }) => lp_event ?? status,
    state: (delivery) => delivery.state,
    attempts: (delivery) => delivery.attempts.length,
    'last answer': ({ attempts }) => attempts.at(-1)?.status_code ?? attempts.at(-1)?.error ?? null,
    'last try (UTC)': ({ attempts }) => minute(attempts.at(-1)?.at ?? null),
    'created (UTC)': (delivery) => minute(delivery.created_at),
    'agent key': (delivery) => delivery.agent_key_id,
    to: ({ lp_id, callback_url }) => (lp_id === null ? callback_url : `LP ${lp_id} ${callback_url}`),
  });
