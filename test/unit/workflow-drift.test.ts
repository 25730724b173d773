import { expect, test } from '@jest/globals';
import { type ObservedWorkflow, type OrderFacts, workflowDrift } from '../../src/domain/workflow-drift.ts';

const open: OrderFacts = { status: 'claimed', version: 3, webhooks: [] };
const ended: OrderFacts = { status: 'completed', version: 7, webhooks: [] };
const owing: OrderFacts = { ...ended, webhooks: [7] };
const observed = (status: ObservedWorkflow['status'], version?: number): ObservedWorkflow => ({
  status,
  version,
});

test.each<[string, OrderFacts | undefined, ObservedWorkflow | undefined, string | null]>([
  ['an order and its workflow', open, observed('claimed', 3), null],
  ['an order without a workflow', open, undefined, 'order_without_workflow'],
  ['an order that has ended', ended, undefined, null],
  ['an ended order with a pending webhook', owing, undefined, 'webhook_without_workflow'],
  ['an ended order whose webhook is being sent', owing, observed('completed', 7), null],
  [
    'a workflow of an ended order without a pending webhook',
    ended,
    observed('completed', 7),
    'workflow_without_order',
  ],
  ['a workflow without an order', undefined, observed('matched', 1), 'order_missing'],
  ['neither', undefined, undefined, null],
  ['a workflow of an older status', open, observed('matched', 1), 'workflow_behind'],
  ['a workflow of the same status and an older version', open, observed('claimed', 2), 'workflow_behind'],
  ['a workflow that has not seen the end', ended, observed('confirmed', 5), 'workflow_behind'],
  ['a workflow of a newer version', open, observed('fiat_sent', 4), 'workflow_ahead'],
  ['a workflow of the same version and another status', open, observed('matched', 3), 'workflow_ahead'],
  [
    'a workflow that ended differently at the same version',
    ended,
    observed('cancelled', 7),
    'workflow_ahead',
  ],
  ['a workflow that shows a version and no status', open, observed(undefined, 3), null],
  ['a workflow that shows no version, in the same status', open, observed('claimed'), null],
  ['a workflow that shows no version, in another status', open, observed('matched'), 'workflow_behind'],
])('%s', (_, order, workflow, drift) => {
  expect(workflowDrift(order, workflow)).toBe(drift);
});
