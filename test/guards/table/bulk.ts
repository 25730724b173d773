import type { Guard } from '../guard.ts';

const ATTACKS = 'test/attacks/bulk.test.ts';
const WORKFLOW = 'test/system/workflow/bulk.test.ts';
const PROGRESS = 'src/operations/bulk/progress.ts';
const RUNS = 'src/operations/bulk/runs.ts';
const TREAT = 'src/operations/bulk/treat-orders.ts';

/** What a command on many orders may reach: the orders of a dry run, once each, on behalf of an admin who may. */
export const BULK_GUARDS: readonly Guard[] = [
  {
    name: 'bulk: only its admin starts a dry run',
    file: RUNS,
    text: 'where id = $1 and created_by = $2 and started_at is null',
    without: 'where id = $1 and $2 is not null and started_at is null',
    attack: { file: ATTACKS, name: 'an admin cannot start the dry run of another one' },
  },
  {
    name: 'bulk: an old dry run starts nothing',
    file: RUNS,
    text: ' and expires_at > now()',
    without: '',
    attack: { file: ATTACKS, name: 'a dry run that is too old, or was stopped, starts nothing' },
  },
  {
    name: 'bulk: the rows say whether a run may go on',
    file: PROGRESS,
    text: 'where id = $1 and started_at is not null and stopped_at is null and finished_at is null\n  returning id, action',
    without: 'where id = $1\n  returning id, action',
    attack: { file: ATTACKS, name: 'does nothing for a run that its admin has not started' },
  },
  {
    name: 'bulk: a run stops when its admin may no longer send its commands',
    file: PROGRESS,
    text: '    ) as is_allowed`',
    without: '    ) is not null as is_allowed`',
    attack: { file: ATTACKS, name: 'a run stops if its admin ' },
  },
  {
    name: 'bulk: a stopped run treats no further order',
    file: PROGRESS,
    text: 'started_at is not null and stopped_at is null and finished_at is null\n  returning id, action',
    without: 'started_at is not null and finished_at is null\n  returning id, action',
    attack: { file: WORKFLOW, name: 'a stopped run treats no further order' },
  },
  {
    name: 'bulk: an order that has moved is left alone',
    file: TREAT,
    text: "if (order?.version !== version) return { orderId, outcome: 'moved' };",
    without: "if (!order) return { orderId, outcome: 'moved' };",
    attack: {
      file: ATTACKS,
      name: 'an order that was claimed since the dry run is not cancelled, frozen or extended',
    },
  },
  {
    name: 'bulk: a repeat meets the outcome of the first request',
    file: 'src/operations/bulk/command.ts',
    text: "hashedUuid(['bulk', token, orderId])",
    without: "hashedUuid(['bulk', token, orderId, Math.random()])",
    attack: { file: 'test/unit/bulk.test.ts', name: 'depends on the run’s token and the order' },
  },
  {
    name: 'bulk: an extension in an incident takes no time',
    file: 'src/operations/bulk/command.ts',
    text: 'before + stoodStillMs + (by_ms ?? 0)',
    without: 'before + (by_ms ?? 0)',
    attack: { file: WORKFLOW, name: 'extends by the whole time in an incident' },
  },
  {
    name: 'bulk: a contested order needs a look of its own',
    file: TREAT,
    text: 'order.frozen_ms != null && !unfreezable.has(orderId)',
    without: 'order.frozen_ms != null && unfreezable.size < 0',
    attack: {
      file: ATTACKS,
      name: 'an order that an LP has contested, or has evidence for, is not unfrozen with many others',
    },
  },
  {
    name: 'bulk: an order with an LP’s evidence needs a look of its own',
    file: 'src/operations/bulk/frozen-by-admins.ts',
    text: ' and ${IS_FORMER_RECEIPT})',
    without: ' and ${IS_FORMER_RECEIPT} and false)',
    attack: {
      file: ATTACKS,
      name: 'an order that an LP has contested, or has evidence for, is not unfrozen with many others',
    },
  },
  {
    name: 'bulk: a run has a limit of orders',
    file: 'src/operations/bulk/dry-run.ts',
    text: ' where counted.orders <= $most',
    without: '',
    attack: { file: ATTACKS, name: 'a filter that selects more orders than a run may have' },
  },
  {
    name: 'bulk: an unknown field is refused',
    file: 'src/domain/bulk-filter.ts',
    text: 'Object.hasOwn(FIELDS, name)',
    without: 'name in FIELDS',
    attack: { file: 'test/unit/bulk-filter.test.ts', name: 'a name that every object has is no field' },
  },
  {
    name: 'bulk: webhooks are reopened once',
    file: 'src/operations/bulk/redeliver-exhausted.ts',
    text: ' and b.outcome is null\n',
    without: '\n',
    attack: {
      file: 'test/system/workflow/bulk-redelivery.test.ts',
      name: 'a repeat reopens no webhook again',
    },
  },
];
