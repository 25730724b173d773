import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { AdminOrder, resolveResponse } from '../api/resources/admin-orders/schemas.ts';
import type { timelineResponse } from '../api/resources/agent-orders/schemas.ts';
import { frozenBefore } from '../domain/frozen-before.ts';
import { OUTCOMES } from '../domain/order-commands.ts';
import type { Cli } from './cli.ts';
import { command } from './command.ts';
import { orderTable } from './order-table.ts';
import { millisecond, minute, text as oneLine, table } from './output.ts';

const PATH = '/api/admin/orders';
type Timeline = z.output<typeof timelineResponse>;
type Resolved = z.output<typeof resolveResponse>;

const REASON = { '--reason <text>!': 'why, for the order’s timeline' };
const orderRow = (order: AdminOrder): string => orderTable([order]);

/** `orders …`: the commands for one order. */
export const ORDER_VERBS = [
  command('orders timeline <id>', 'show every transition of an order, and what the order waits for', {
    call: `GET ${PATH}/:id/timeline`,
    print: timelineText,
  }),
  command('orders resolve <id>', 'end a dispute', {
    call: ({ call }: Cli, { id, dryRun, ...given }) =>
      call<Resolved>('POST', `${PATH}/${id}/resolve${dryRun ? '?dry_run=true' : ''}`, {
        ...{ outcome: given.as, reason: given.reason, slash_usd: given.slashUsd, tx_hash: given.txHash },
      }),
    options: {
      ...REASON,
      [`--as <${OUTCOMES.join('|')}>!`]: 'how it ends',
      '--slash-usd <amount>': 'what the LP loses of its locked collateral (default: nothing)',
      '--tx-hash <hash>': 'the transaction that paid the order (default: the verified one, if any)',
      '--dry-run': 'show the postings and the transaction, and change nothing',
    },
    print: resolvedText,
  }),
  command('orders cancel <id>', 'cancel an order that no LP has claimed', {
    call: `POST ${PATH}/:id/cancel`,
    options: REASON,
    print: orderRow,
  }),
  command('orders extend <id>', 'move a deadline to a later time', {
    call: `POST ${PATH}/:id/extend`,
    options: { ...REASON, '--until <time>!': { does: 'the new deadline (ISO 8601)', parse: timeArgument } },
    print: orderRow,
  }),
  command('orders freeze <id>', 'stop an order and its clock', {
    call: `POST ${PATH}/:id/freeze`,
    options: REASON,
    print: frozenText,
  }),
  command('orders unfreeze <id>', 'continue a frozen order and its clock', {
    call: `POST ${PATH}/:id/unfreeze`,
    options: {
      ...REASON,
      '--false-evidence': 'the LP that contests the order has not paid: it gets a strike',
    },
    print: orderRow,
  }),
  command('orders retry-verification <id>', 'verify an order’s transaction again', {
    call: `POST ${PATH}/:id/retry-verification`,
    options: { ...REASON, '--tx-hash <hash>': 'verify this transaction instead' },
    print: orderRow,
  }),
];

function frozenText(order: AdminOrder, { reason }: { reason: string }): string {
  const before = frozenBefore(reason, order.status_reason);
  return `${before === null ? '' : `${oneLine(before)}\n\n`}${orderTable([order])}`;
}

/** A time as an option. The API checks whether it is possible. */
function timeArgument(text: string): string {
  if (!/^\d{4}-\d\d-\d\d/.test(text))
    throw new InvalidArgumentError('Write a time such as 2026-03-01T12:00:00Z.');
  return text;
}

function timelineText({ transitions, next }: Timeline): string {
  const rows = table(transitions, {
    'at (UTC)': (t) => millisecond(t.at),
    ...{ from: 'from_status', to: 'status' },
    by: (t) => (t.lp_id === null ? t.actor : `LP ${t.lp_id}`),
    ...{ cause: 'cause', why: 'reason' },
  });
  if (!next) return `${rows}\n\nThe order has ended.`;
  return `${rows}\n\nIt waits for: ${next.waiting_for}${clockText(next)}.`;
}

function resolvedText({ order_id, status, dry_run, tx_hash, chain_finding, postings }: Resolved): string {
  const rows = table(postings, { for: 'purpose', from: 'debit', to: 'credit', USD: 'amount_usd' });
  const done = dry_run
    ? `Order ${order_id} would be ${status}; nothing was changed.`
    : `Order ${order_id} is ${status}.`;
  const paid = tx_hash === null ? 'No transaction counts as its payment.' : `Its payment is ${tx_hash}.`;
  const warning = chain_finding?.result === 'verified' ? '' : 'Warning: ';
  const finding = chain_finding ? `\n${warning}${oneLine(chain_finding.detail)}.` : '';
  return `${done} ${paid}${finding}\n\n${rows}`;
}

/** Until when a party has to act. A deadline that an incident has stopped moves once the incident is closed. */
function clockText({ due_at, stopped }: NonNullable<Timeline['next']>): string {
  if (!due_at) return '; no clock runs';
  return stopped
    ? `; an incident has stopped the clock since ${minute(stopped.since)} UTC: ${stopped.reason}`
    : ` until ${minute(due_at)} UTC`;
}
