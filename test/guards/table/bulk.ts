import { inFile } from '../guard.ts';

const ATTACKS = 'test/attacks/bulk.test.ts';
const PROGRESS = 'src/operations/bulk/progress.ts';
const WORKFLOW = 'test/system/workflow/bulk.test.ts';

/** What a command on many orders may reach: the orders of a dry run, once each, on behalf of an admin who may. */
export const BULK_GUARDS = [
  ...inFile('src/operations/bulk/runs.ts', ATTACKS, [
    ['bulk: only its admin starts a dry run', 'where id = $1 and created_by = $2 and started_at is null',
      'where id = $1 and $2 is not null and started_at is null',
      'an admin cannot start the dry run of another one'],
    ['bulk: an old dry run starts nothing', ' and expires_at > now()', '',
      'a dry run that is too old, or was stopped, starts nothing']]),
  ...inFile(PROGRESS, ATTACKS, [
    ['bulk: the rows say whether a run may go on',
      'where id = $1 and started_at is not null and stopped_at is null and finished_at is null\n  returning id, action',
      'where id = $1\n  returning id, action', 'does nothing for a run that its admin has not started'],
    ['bulk: a run stops when its admin may no longer send its commands', '    ) as is_allowed`',
      '    ) is not null as is_allowed`', 'a run stops if its admin ']]),
  ...inFile(PROGRESS, WORKFLOW, [
    ['bulk: a stopped run treats no further order',
      'started_at is not null and stopped_at is null and finished_at is null\n  returning id, action',
      'started_at is not null and finished_at is null\n  returning id, action',
      'a stopped run treats no further order']]),
  ...inFile('src/operations/bulk/treat-orders.ts', ATTACKS, [
    ['bulk: an order that has moved is left alone',
      "if (order?.version !== version) return { orderId, outcome: 'moved' };",
      "if (!order) return { orderId, outcome: 'moved' };",
      'an order that was claimed since the dry run is not cancelled, frozen or extended'],
    ['bulk: a contested order needs a look of its own',
      'order.frozen_ms != null && !unfreezable.has(orderId)',
      'order.frozen_ms != null && unfreezable.size < 0',
      'an order that an LP has contested, or has evidence for, is not unfrozen with many others']]),
  ...inFile('src/operations/bulk/command.ts', 'test/unit/bulk.test.ts', [
    ['bulk: a repeat meets the outcome of the first request', "hashedUuid(['bulk', token, orderId])",
      "hashedUuid(['bulk', token, orderId, Math.random()])", 'depends on the run’s token and the order']]),
  ...inFile('src/operations/bulk/command.ts', WORKFLOW, [
    ['bulk: an extension in an incident takes no time', 'before + stoodStillMs + (by_ms ?? 0)',
      'before + (by_ms ?? 0)', 'extends by the whole time in an incident']]),
  ...inFile('src/operations/bulk/frozen-by-admins.ts', ATTACKS, [
    ['bulk: an order with an LP’s evidence needs a look of its own', ' and ${IS_FORMER_RECEIPT})',
      ' and ${IS_FORMER_RECEIPT} and false)',
      'an order that an LP has contested, or has evidence for, is not unfrozen with many others']]),
  ...inFile('src/operations/bulk/dry-run.ts', ATTACKS, [
    ['bulk: a run has a limit of orders', ' where counted.orders <= $most', '',
      'a filter that selects more orders than a run may have']]),
  ...inFile('src/domain/bulk-filter.ts', 'test/unit/bulk-filter.test.ts', [
    ['bulk: an unknown field is refused', 'Object.hasOwn(FIELDS, name)', 'name in FIELDS',
      'a name that every object has is no field']]),
  ...inFile('src/operations/bulk/redeliver-exhausted.ts', 'test/system/workflow/bulk-redelivery.test.ts', [
    ['bulk: webhooks are reopened once', ' and b.outcome is null\n', '\n',
      'a repeat reopens no webhook again']]),
];
