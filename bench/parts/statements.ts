import { createOrder, type NewOrder } from '../../src/db/commands/create-order.ts';
import type { Database } from '../../src/db/orm.ts';
import { stepQuery } from '../../src/db/steps/perform-step.ts';
import { STAGES, stepInput, type Transition } from '../stages.ts';
import type { PgbenchStatement, PgbenchValue } from './pgbench.ts';

/** The numbers of a run of pgbench by which each of its orders is told: see `numbersOf`. */
const ORDER = ':first + :n * :clients + :client_id';
const LP = ':firstlp + :client_id';
/** `first`: the lowest order id; `firstLp`: the lowest LP id. The others follow them. */
export const numbersOf = (first: number, firstLp: number) => ({ first, firstlp: firstLp });

/** Ids that no order and no LP has: where they stand in a statement's values, each order has its own. */
const SOME_ORDER = 9_000_000_000_001;
const SOME_LP = 9_000_000_000_002;
const SOME_PAYMENT = 'some-payment';
const HASH = /^[0-9a-f]{64}$/;

/** Corridor's own statement of a transition, for pgbench. `draft`: an order like all of them. */
export async function pgbenchStatement(transition: Transition, draft: NewOrder): Promise<PgbenchStatement> {
  const order = { ...draft, id: SOME_ORDER, lp_id: SOME_LP, payment_id: SOME_PAYMENT };
  const stage = STAGES.find(({ step }) => step === transition);
  if (!stage) return placed(await creation(order), {});
  const input = stepInput(stage, order);
  // Each step of each order is a request of its own.
  const request = `(${ORDER}) * 10 + ${STAGES.indexOf(stage)}`;
  return placed(stepQuery(stage.step, input), { [input.requestId]: { eachUuid: request } });
}

/** What `createOrder` would send. */
async function creation(order: NewOrder): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = [];
  const query: Database['query'] = async (_name, text, values) => {
    sent.push({ text, values });
    return [];
  };
  await createOrder({ query } as Database, order, null, null);
  const [statement] = sent;
  if (!statement || sent.length > 1) throw new Error(`An order is created by ${sent.length} statements`);
  return statement;
}

function placed(
  { text, values }: { text: string; values: unknown[] },
  others: Record<string, PgbenchValue>,
): PgbenchStatement {
  const place = (value: unknown): PgbenchValue => {
    if (value === null || value === undefined) return { always: null };
    const said = value instanceof Date ? value.toISOString() : String(value);
    if (said === String(SOME_LP)) return { each: LP };
    if (said === String(SOME_ORDER) || said === SOME_PAYMENT || HASH.test(said)) return { each: ORDER };
    return others[said] ?? { always: said };
  };
  return { text, values: values.map(place) };
}
