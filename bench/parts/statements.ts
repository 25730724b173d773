import type { Database } from '../../src/db/orm.ts';
import { createOrder } from '../../src/orders/create-order.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { stepQuery } from '../../src/orders/steps/registry.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { STAGES, stepInput, type Transition } from '../stages.ts';
import type { PgbenchStatement, PgbenchValue } from './pgbench.ts';

/** The numbers from which a run of pgbench computes its order ids: see `numbersOf`. */
const ORDER = ':first + :n * :clients + :client_id';
const LP = ':firstlp + :client_id';
/** `first` is the lowest order id, `firstLp` the lowest LP id. The others follow. */
export const numbersOf = (first: number, firstLp: number) => ({ first, firstlp: firstLp });

/** Ids that no order or LP has. In a statement's values, they mark where each order has its own id. */
const SOME_ORDER = 9_000_000_000_001;
const SOME_LP = 9_000_000_000_002;
const SOME_PAYMENT = 'some-payment';
/** No two live orders may ask for the same amount, so each order's own id stands for it. */
const SOME_AMOUNT = '9000000000003';
const HASH = /^[0-9a-f]{64}$/;

/** Corridor's own statement of a transition, for pgbench. `draft` is a sample order. */
export async function pgbenchStatement(transition: Transition, draft: NewOrder): Promise<PgbenchStatement> {
  const order = {
    ...draft,
    id: SOME_ORDER,
    lp_id: SOME_LP,
    payment_id: SOME_PAYMENT,
    amount_crypto: SOME_AMOUNT,
  };
  const stage = STAGES.find(({ step }) => step === transition);
  if (!stage) return placed(await creation(order), {});
  const input = stepInput(stage, order);
  // Each step of each order has its own request id.
  const request = `(${ORDER}) * 10 + ${STAGES.indexOf(stage)}`;
  return placed(stepQuery(stage.step, input, NO_LIMITS), { [input.requestId]: { eachUuid: request } });
}

/** The statement that `createOrder` sends. */
async function creation(order: NewOrder): Promise<{ text: string; values: unknown[] }> {
  const sent: { text: string; values: unknown[] }[] = [];
  const query: Database['query'] = async (_name, text, values) => {
    sent.push({ text, values });
    return [];
  };
  await createOrder({ query } as Database, order, null, null);
  const [statement] = sent;
  if (!statement || sent.length > 1) throw new Error(`createOrder sent ${sent.length} statements, not 1`);
  return statement;
}

function placed(
  { text, values }: { text: string; values: unknown[] },
  others: Record<string, PgbenchValue>,
): PgbenchStatement {
  const place = (value: unknown): PgbenchValue => {
    if (value === null || value === undefined) return { always: null };
    const said =
      value instanceof Date
        ? value.toISOString()
        : Array.isArray(value)
          ? `{${value.join()}}`
          : String(value);
    if (said === String(SOME_LP)) return { each: LP };
    if (said === String(SOME_ORDER) || said === SOME_PAYMENT || said === SOME_AMOUNT || HASH.test(said))
      return { each: ORDER };
    return others[said] ?? { always: said };
  };
  return { text, values: values.map(place) };
}
