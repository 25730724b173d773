import { OWN_TRIGGERS } from '../../src/domain/order-commands.ts';
import { drawing } from './lifecycle-drawing.ts';
import { commandTable, refusalTable, repairTable, statusTable, transitionTable } from './lifecycle-tables.ts';
import { code } from './markdown.ts';

/** `docs/lifecycle.md`, whole. */
export const lifecycleDocument = (): string => `# An order's life

<!-- Written by \`npm run docs:lifecycle\` from the code. Changes made here by hand are lost. -->

The state machine is one table, \`TRANSITIONS\` in [\`src/domain/order-state.ts\`](../src/domain/order-state.ts), and the
rules around it, [\`src/domain/order-decision.ts\`](../src/domain/order-decision.ts). The workflow, the API and this page
read them; a test fails when this page says something else.

\`\`\`mermaid
${drawing()}
\`\`\`

An arrow names what moves the order, and in brackets who asks for it; without brackets it is Corridor itself. What
leaves the status as it is, is not drawn: see [below](#repairs-that-leave-the-status-as-it-is).

## Statuses

${statusTable()}

Who acts next is what \`WaitingFor\` says in the Temporal UI. An order keeps the durations that it began with. While an
admin has frozen it no clock runs, whatever its status, and it waits for an admin. A deadline that comes due when the
service has been away for longer than \`OUTAGE_THRESHOLD\` is moved first, by as long as that.

## Transitions

${transitionTable()}

The step is the name of the activity that carries the transition out, as the Temporal UI shows it.
Some triggers are the order's own, and nobody can send them: ${OWN_TRIGGERS.map(code).join(', ')}.

## Repairs that leave the status as it is

${repairTable()}

They owe the agent no webhook, since the status is the same, and stand on the order's timeline like all others.

## What each command does in each status

The code's own answers, for an order that is not frozen and those who may ask. \`→\`: it is done, and the order is then in
that status. ✓: it has been done before, or there is nothing to do; the answer is the same as the first time. Else: why
it is refused.

${commandTable()}

Of a frozen order only \`unfreeze\` is done. An LP that does not own the order is told \`not_order_owner\`, whatever it asks
for but a claim.

## Refusals

${refusalTable()}

Nothing is changed by what is refused.
`;
