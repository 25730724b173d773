import type { StepName } from '../../../src/domain/order-state.ts';
import { STEPS } from '../../../src/orders/steps/registry.ts';
import type { Guard } from '../guard.ts';
import { FENCES, STEP } from './states.ts';

const TERMS = 'test/attacks/claim-terms.test.ts';
const LP_TERMS = 'test/attacks/terms.test.ts';
const DEADLINES = 'test/db/step-deadlines.test.ts';
const EARLY = 'that has not passed does nothing';
const RECEIPTS = 'test/db/receipt-deadlines.test.ts';
const REVOCATION = 'test/workflow/revocation.test.ts';
const FORGED_END =
  'a forged end of a revoked order changes nothing before its deadline, and nothing if it has a receipt';
const FORGED_REVOCATION = 'a forged revocation of a live key’s order changes nothing';
const TRANSACTIONS = 'test/attacks/transactions.test.ts';
const NO_VERDICT = 'is not carried out by';
const ENDINGS = 'test/workflow/endings.test.ts';
const SLASH = 'and slashes no more than the locked collateral covers, including the fee';

/** How one element of a step's `where` begins, what it requires, and its attack. */
type Row = readonly [sql: string, name: string, attacks: string, attack: string];
const COUNTS = (status: string): Row =>
  ["($cause <> 'deadline' or coalesce(", `the deadline of ${status} has passed`, DEADLINES, EARLY];

/** The conditions of each step, in their order. */
const CONDITIONS: Partial<Record<StepName, readonly Row[]>> = {
  claim: [
    ['lp.id = $lpId', 'it is for the LP of the command', TERMS,
      'a claim by an LP with addresses for other tokens and chains only is refused'],
    ["lp.status = 'approved'", 'the LP is approved', TERMS, 'is refused if the LP is suspended by then'],
    ['not exists (select paused.reason', 'nothing is paused', 'test/api/pauses.test.ts',
      'a claim that waits in Temporal is refused as well'],
    ['not coalesce((select struck.cooling_until', 'the LP does not cool down', TERMS,
      'is refused if the LP cools down by then'],
    ['asset.symbol = orders.crypto_symbol', 'the LP has an address for this token and chain', TERMS,
      'a claim by an LP with addresses for other tokens and chains only is refused'],
    ['term.currency = orders.currency', 'the LP serves the corridor', LP_TERMS,
      'has terms for another method only'],
    ['orders.amount_fiat >= term.min_fiat', 'the LP takes an order so small', LP_TERMS, 'takes larger orders only'],
    ['orders.amount_fiat <= coalesce(term.max_fiat', 'the LP takes an order so large', LP_TERMS,
      'takes smaller orders only'],
    ['exists ( select from agent_key', 'the agent’s key is active', REVOCATION,
      'a claim that a worker carries out after the deletion is refused by the step'],
    ['now() <= $validUntil', 'the command has not waited too long', 'test/workflow/reconciler.test.ts',
      'a claim that waited too long for a worker is void'],
    ["($cause <> 'auto-claim' or", 'the LP’s automatic claims take the order', TERMS, 'it has none'],
    ['require_room_to_claim(', 'the agent’s limit has room', 'test/api/exposure.test.ts',
      'stay within the new limit, however many come at once'],
  ],
  reofferOrder: [
    COUNTS('a claim'),
    ['orders.receipt_url is null', 'there is no receipt', RECEIPTS, 'a missed deadline with a receipt is a dispute'],
    ['exists (select from agent_key', 'the order may be offered again', 'test/db/free-releases.test.ts',
      'ends with the third release that is not free'],
  ],
  complete: [['exists ( select from payment_verdict', 'there is a verdict', TRANSACTIONS, NO_VERDICT]],
  rejectTransaction: [['exists ( select from payment_verdict', 'there is a verdict', TRANSACTIONS, NO_VERDICT]],
  cancelUnclaimed: [COUNTS('an offer')],
  cancelUnpaid: [
    COUNTS('a last claim'),
    ['orders.receipt_url is null', 'there is no receipt', RECEIPTS,
      'neither a third failed claim nor the lack of another LP ends an order with a receipt'],
    ['exists (select from agent_key', 'the agent’s key is active', REVOCATION,
      'even if two claims of it had failed before'],
    ['not (exists (select from agent_key', 'the order may not be offered again', 'test/attacks/forged-states.test.ts',
      'end an order as if there were no other LP'],
  ],
  cancelRevoked: [
    ['not exists (select from agent_key', 'the agent’s key is revoked', REVOCATION, FORGED_REVOCATION],
    ['orders.receipt_url is null', 'there is no receipt', REVOCATION, FORGED_END],
    ["($cause <> 'deadline' or coalesce(", 'the deadline of a revoked order has passed', REVOCATION, FORGED_END],
  ],
  openDispute: [
    COUNTS('a stage'),
    ["($cause <> 'invalid' or", 'there is a verdict', TRANSACTIONS, NO_VERDICT],
    ["(orders.status <> 'claimed' or $cause <> 'deadline'", 'a claimed order has a receipt', RECEIPTS,
      'without a receipt the deadline opens no dispute'],
    ["(orders.status <> 'claimed' or $cause <> 'dispute'", 'the LP first has time to send the fiat',
      'test/db/claim-disputes.test.ts', 'not before the time that the LP has'],
  ],
  resolveCompleted: [['$slashUsd::numeric + orders.fee_usd', 'the slash leaves the fee', ENDINGS, SLASH]],
  resolveCancelled: [['$slashUsd::numeric <=', 'the slash is not more than is locked', ENDINGS, SLASH]],
  extendDeadline: [
    ['$deadlineAt::timestamptz >', 'it is an extension of the row’s deadline', 'test/attacks/forged-states.test.ts',
      'that an extension shortens a stage'],
  ],
  startRevocationGrace: [
    ['not exists (select from agent_key', 'the agent’s key is revoked', REVOCATION, FORGED_REVOCATION],
    ['orders.receipt_url is null', 'there is no receipt', REVOCATION,
      'leaves orders whose fiat is sent or may be on its way to an admin'],
    ['not exists (select from order_event', 'it is the first one', REVOCATION, 'grants that time once'],
  ],
};

/** Conditions without a guard: what they refuse, something else refuses too. */
export const COVERED: Partial<Record<StepName, readonly string[]>> = {
  // The CHECK `lp_term_float_available_not_negative`.
  claim: ['orders.amount_fiat <= coalesce(term.float_available, orders.amount_fiat)'],
  // The rules of `order-state.ts`: the revocation of a claimed order is another step.
  cancelRevoked: ["(orders.status = 'matched' or $cause <> 'revoke')"],
  // The step's `from`.
  replaceTransaction: ['missing.order_id = orders.id'],
};

/** A guard for each condition of each step. `or true` keeps its parameters. A unit test compares the list with the steps. */
export const STEP_CONDITIONS: readonly Guard[] = Object.entries(CONDITIONS).flatMap(([step, rows]) =>
  rows.map(([sql, name, file, attack]) => ({
    name: `${step}: ${name}`,
    ...{ file: STEP, text: FENCES },
    without: FENCES.replace(
      '...where',
      `...where.map((sql, i) => (name === '${step}' && i === ${placeOf(step as StepName, sql)} ? \`(\${sql} or true)\` : sql))`,
    ),
    attack: { file, name: attack },
  })),
);

/** The place of the condition in the step's `where`. Throws if not exactly one begins so. */
function placeOf(step: StepName, sql: string): number {
  const places = [...(STEPS[step].where ?? []).entries()].filter(([, condition]) =>
    condition.replace(/\s+/g, ' ').startsWith(sql),
  );
  const [[place] = [-1]] = places;
  if (places.length !== 1) throw new Error(`${places.length} conditions of ${step} begin with "${sql}"`);
  return place;
}
