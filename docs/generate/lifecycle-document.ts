import { OWN_TRIGGERS } from '../../src/domain/order-commands.ts';
import { lifecycleDiagram } from './lifecycle-drawing.ts';
import {
  commandTable,
  reasonTable,
  refusalTable,
  repairTable,
  statusTable,
  transitionTable,
} from './lifecycle-tables.ts';
import { code } from './markdown.ts';

/** The complete text of `docs/lifecycle.md`. */
export const lifecycleDocument = (): string => `# An order's lifecycle

<!-- Generated from the code by \`npm run docs:lifecycle\`. Manual changes are lost. -->

The state machine is one table, \`TRANSITIONS\` in [\`src/domain/order-state.ts\`](../src/domain/order-state.ts), with its
rules in [\`src/domain/order-decision.ts\`](../src/domain/order-decision.ts). The workflow, the API and this page use both.
A test fails if this page is out of date.

\`\`\`mermaid
${lifecycleDiagram()}
\`\`\`

An arrow names its triggers, with the permitted actors in brackets. A trigger without brackets comes from Corridor itself. The
diagram omits triggers that [keep the status](#repairs-that-keep-the-status).

## Statuses

${statusTable()}

The Temporal UI shows who acts next as \`WaitingFor\`. An order’s row keeps the durations that were set at its start.
While an order is frozen, it waits for an admin and has no running deadline. An admin freezes an order, an LP that
[contests its loss](how-it-works.md#release-dispute-repair), or Corridor when the database has lost commits. If the service was
down for longer than \`OUTAGE_THRESHOLD\`, deadlines move by the length of the outage before they can expire. An
[incident](operations.md#incidents) stops the clocks of the orders that it covers, and their deadlines move when it is closed.

## Transitions

${transitionTable()}

The step is the name of the activity that performs the transition, as the Temporal UI shows it. Nobody can send the order's
own triggers: ${OWN_TRIGGERS.map(code).join(', ')}.

## Reasons

${reasonTable()}

The timeline, the admin's view of an order, the exports and the order feed show the text, and beside it the code for programs. A
webhook has the code as \`status_reason_code\`, beside its \`data\`. \`{name}\` stands for a value, and a part in
brackets appears only if its value is known. \`note\` and its kind are the words of a person, who is the actor of the
transition. More codes may follow, so treat an unknown code as you treat none.

## Repairs that keep the status

${repairTable()}

Repairs send the agent no webhook, because the status stays the same. They appear on the order's timeline, and the order feed and
[LPs' webhooks](webhooks.md#webhooks-to-lps) report them.

## What each command does in each status

These are the code's own decisions, for an order that is not frozen and for a permitted actor. \`→\`: the command is applied,
and the order then has that status. ✓: the command was applied before or has nothing to do, and the answer is the same as the
first time. Otherwise the cell names the refusal.

${commandTable()}

A frozen order accepts only \`unfreeze\`. An LP that does not own the order gets \`not_order_owner\` for every command except a
claim.

## Refusals

${refusalTable()}

A refused command changes nothing.
`;
