import type { Command } from 'commander';
import type { OrderPage } from '../contract/admin-orders.ts';
import { type Cli, listPath, type PageOptions, paged, withPages } from './cli.ts';
import { orderTable } from './order-table.ts';
import { addOrderVerbs } from './order-verbs.ts';

interface ListOptions extends PageOptions {
  status?: string;
  currency?: string;
  agentKey?: string;
  lp?: string;
  from?: string;
  to?: string;
}

/** `orders`: everybody's. */
export function addOrderCommands(program: Command, cli: Cli): void {
  const { call, show } = cli;
  const orders = program.command('orders').description('orders of all agents');

  addOrderVerbs(orders, cli);
  withPages(orders.command('list'))
    .description('orders, newest first')
    .option('--status <status>', 'only those in a status, such as disputed')
    .option('--currency <code>', 'only those in a currency')
    .option('--agent-key <id>', 'only those of an agent key')
    .option('--lp <id>', 'only those of an LP')
    .option('--from <time>', 'created from this time on (ISO 8601, or a date)')
    .option('--to <time>', 'created before this time')
    .action(async ({ limit, cursor, status, currency, agentKey, lp, from, to }: ListOptions) => {
      const query = { limit, cursor, status, currency, agent_key_id: agentKey, lp_id: lp };
      const path = listPath('/api/admin/orders', { ...query, created_from: from, created_to: to });
      const page = await call<OrderPage>('GET', path);
      show(page, ({ orders, next_cursor }) => paged(orderTable(orders), next_cursor));
    });
}
