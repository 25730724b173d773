import { type Command, InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import type { AdminOrder, resolveResponse } from '../api/resources/admin-orders/schemas.ts';
import type { timelineResponse } from '../api/resources/agent-orders/schemas.ts';
import { frozenBefore } from '../domain/frozen-before.ts';
import { OUTCOMES } from '../domain/order-commands.ts';
import { type Cli, idArgument, numberArgument } from './cli.ts';
import { orderTable } from './order-table.ts';
import { millisecond, minute, text as oneLine, table } from './output.ts';

const PATH = '/api/admin/orders';
type Timeline = z.output<typeof timelineResponse>;
type Resolved = z.output<typeof resolveResponse>;

/** `orders …`: the commands for one order. */
export function addOrderVerbs(orders: Command, { call, show }: Cli): void {
  const verb = (name: string, description: string) =>
    orders
      .command(name)
      .description(description)
      .argument('<id>', 'the order', idArgument)
      .requiredOption('--reason <text>', 'why, for the order’s timeline');
  const move = async (id: number, name: string, body: object) =>
    show(await call<AdminOrder>('POST', `${PATH}/${id}/${name}`, body), (order) => orderTable([order]));

  orders
    .command('timeline')
    .description('show every transition of an order, and what the order waits for')
    .argument('<id>', 'the order', idArgument)
    .action(async (id: number) => show(await call<Timeline>('GET', `${PATH}/${id}/timeline`), timelineText));

  verb('resolve', 'end a dispute')
    .requiredOption(`--as <${OUTCOMES.join('|')}>`, 'how it ends')
    .option(
      '--slash-usd <amount>',
      'what the LP loses of its locked collateral (default: nothing)',
      numberArgument,
    )
    .option('--tx-hash <hash>', 'the transaction that paid the order (default: the verified one, if any)')
    .option('--dry-run', 'show the postings and the transaction, and change nothing')
    .action(async (id: number, { as: outcome, slashUsd: slash_usd, txHash: tx_hash, reason, dryRun }) => {
      const query = dryRun ? '?dry_run=true' : '';
      const answer = await call<Resolved>('POST', `${PATH}/${id}/resolve${query}`, {
        outcome,
        reason,
        ...(slash_usd !== undefined && { slash_usd }),
        ...(tx_hash !== undefined && { tx_hash }),
      });
      show(answer, resolvedText);
    });

  verb('cancel', 'cancel an order that no LP has claimed').action((id: number, { reason }) =>
    move(id, 'cancel', { reason }),
  );
  verb('extend', 'move a deadline to a later time')
    .requiredOption('--until <time>', 'the new deadline (ISO 8601)', timeArgument)
    .action((id: number, { until, reason }) => move(id, 'extend', { until, reason }));
  verb('freeze', 'stop an order and its clock').action(async (id: number, { reason }) =>
    show(await call<AdminOrder>('POST', `${PATH}/${id}/freeze`, { reason }), (order) =>
      frozenText(order, reason),
    ),
  );
  verb('unfreeze', 'continue a frozen order and its clock')
    .option('--false-evidence', 'the LP that contests the order has not paid: it gets a strike')
    .action((id: number, { reason, falseEvidence }) =>
      move(id, 'unfreeze', { reason, ...(falseEvidence && { false_evidence: true }) }),
    );
  verb('retry-verification', 'verify an order’s transaction again')
    .option('--tx-hash <hash>', 'verify this transaction instead')
    .action((id: number, { txHash: tx_hash, reason }) => move(id, 'retry-verification', { tx_hash, reason }));
}

function frozenText(order: AdminOrder, reason: string): string {
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
    from: (t) => t.from_status,
    to: (t) => t.status,
    by: (t) => (t.lp_id === null ? t.actor : `LP ${t.lp_id}`),
    cause: (t) => t.cause,
    why: (t) => t.reason,
  });
  if (!next) return `${rows}\n\nThe order has ended.`;
  return `${rows}\n\nIt waits for: ${next.waiting_for}${clockText(next)}.`;
}

function resolvedText({ order_id, status, dry_run, tx_hash, chain_finding, postings }: Resolved): string {
  const rows = table(postings, {
    for: (p) => p.purpose,
    from: (p) => p.debit,
    to: (p) => p.credit,
    USD: (p) => p.amount_usd,
  });
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
