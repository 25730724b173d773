import type { Command } from 'commander';
import type { OrderPage } from '../api/resources/admin-orders/schemas.ts';
import { type Cli, type PageOptions, paged, pathWith, withPages } from './cli.ts';
import { orderTable } from './order-table.ts';
import { addOrderVerbs } from './order-verbs.ts';

interface ListOptions extends PageOptions {
  status?: string;
  currency?: string;
  agentKey?: string;
  lp?: string;
  revokedAgent?: true;
  waitsForAdmin?: true;
  from?: string;
  to?: string;
}

/** `orders`: the orders of all agents. */
export function addOrderCommands(program: Command, cli: Cli): void {
  const { call, show } = cli;
  const orders = program.command('orders').description('orders of all agents');

  addOrderVerbs(orders, cli);
  withPages(orders.command('list'))
    .description('orders, newest first')
    .option('--status <status>', 'orders in this status, such as disputed')
    .option('--currency <code>', 'orders in this currency')
    .option('--agent-key <id>', 'orders of this agent key')
    .option('--lp <id>', 'orders of this LP')
    .option('--revoked-agent', 'orders under way whose agent key is revoked')
    .option('--waits-for-admin', 'orders that wait for an admin: disputed or frozen')
    .option('--from <time>', 'created at or after this time (ISO 8601, or a date)')
    .option('--to <time>', 'created before this time')
    .action(async ({ revokedAgent, waitsForAdmin, from, to, ...others }: ListOptions) => {
      const { limit, cursor, status, currency, agentKey, lp } = others;
      const query = { limit, cursor, status, currency, agent_key_id: agentKey, lp_id: lp };
      const path = pathWith('/api/admin/orders', {
        ...query,
        revoked_agent: revokedAgent && 'true',
        waits_for_admin: waitsForAdmin && 'true',
        created_from: from,
        created_to: to,
      });
      const page = await call<OrderPage>('GET', path);
      show(page, ({ orders, next_cursor }) => paged(orderTable(orders), next_cursor));
    });
}
