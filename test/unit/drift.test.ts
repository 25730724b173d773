import { expect, test } from '@jest/globals';
import { type OrderFacts, type WorkflowBelief, workflowDrift } from '../../src/domain/drift.ts';

const open: OrderFacts = { status: 'claimed', version: 3, webhooks: [] };
const ended: OrderFacts = { status: 'completed', version: 7, webhooks: [] };
const owing: OrderFacts = { ...ended, webhooks: [7] };
const believes = (status: WorkflowBelief['status'], version?: number): WorkflowBelief => ({
  status,
  version,
});

test.each<[string, OrderFacts | undefined, WorkflowBelief | undefined, string | null]>([
  ['an order and its workflow', open, believes('claimed', 3), null],
  ['an order without one', open, undefined, 'order_without_workflow'],
  ['an order that has ended', ended, undefined, null],
  ['one that has ended and owes a webhook', owing, undefined, 'webhook_without_workflow'],
  ['one that has ended, while its webhook is sent', owing, believes('completed', 7), null],
  ['one that has ended, and nothing to be sent', ended, believes('completed', 7), 'workflow_without_order'],
  ['a workflow of an order that is not there', undefined, believes('matched', 1), 'workflow_without_order'],
  ['neither', undefined, undefined, null],
  ['a workflow of an older status', open, believes('matched', 1), 'workflow_behind'],
  ['a workflow of the same status and an older version', open, believes('claimed', 2), 'workflow_behind'],
  ['a workflow that does not know of the end', ended, believes('confirmed', 5), 'workflow_behind'],
  ['a workflow of a newer version', open, believes('fiat_sent', 4), 'workflow_ahead'],
  ['a workflow that shows no version, in the same status', open, believes('claimed'), null],
  ['a workflow that shows no version, in another status', open, believes('matched'), 'workflow_behind'],
])('%s', (_, order, workflow, drift) => {
  expect(workflowDrift(order, workflow)).toBe(drift);
});
