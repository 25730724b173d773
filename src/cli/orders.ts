import { PAGES, page } from './cli.ts';
import { command, fieldsOf } from './command.ts';
import { orderTable } from './order-table.ts';
import { ORDER_VERBS } from './order-verbs.ts';

/** `orders`: the orders of all agents. */
export const ORDER_COMMANDS = [
  ...ORDER_VERBS,
  command('orders list', 'orders, newest first', {
    call: 'GET /api/admin/orders',
    options: {
      ...PAGES,
      '--status <status>': 'orders in this status, such as disputed',
      '--currency <code>': 'orders in this currency',
      '--agent-key <id>': 'orders of this agent key',
      '--lp <id>': 'orders of this LP',
      '--revoked-agent': 'orders under way whose agent key is revoked',
      '--waits-for-admin': 'orders that wait for an admin: disputed or frozen',
      '--from <time>': 'created at or after this time (ISO 8601, or a date)',
      '--to <time>': 'created before this time',
    },
    fields: ({ from, to, ...others }) => fieldsOf({ ...others, createdFrom: from, createdTo: to }),
    print: page('orders', orderTable),
  }),
];
