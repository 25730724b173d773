import { LEDGER_PURPOSES, type LedgerPurpose } from '../../domain/ledger.ts';
import type { StepName } from '../../domain/order-state.ts';
import type { StepInput } from '../../domain/steps.ts';
import type { Database } from '../orm.ts';
import { stepQuery } from '../steps/perform-step.ts';

/** A transfer that a step of an order posts. */
export interface Posting {
  purpose: LedgerPurpose;
  debit: string;
  credit: string;
  /** USD, decimal string. */
  amount: string;
}

const POSTINGS = `
  select purpose, debit, credit, amount
  from unnest($3::text[]) with ordinality as wanted (purpose, place)
  join ledger_transfer on key = 'order/' || $1::bigint || '/' || $2::int || '/' || purpose
  order by place`;
const postingsQuery = (orderId: number, version: number) => ({
  text: POSTINGS,
  values: [orderId, version, LEDGER_PURPOSES],
});

/** What the step that led to this version of an order has posted. */
export async function postingsOf(db: Database, orderId: number, version: number): Promise<Posting[]> {
  const { text, values } = postingsQuery(orderId, version);
  return db.query<Posting & Record<string, unknown>>('postings', text, values);
}

/**
 * What a step would post, found out by carrying it out and taking it back: no second reckoning that could differ.
 * Undefined when the step would be refused.
 */
export async function rehearse(
  db: Database,
  step: StepName,
  input: StepInput,
): Promise<Posting[] | undefined> {
  const client = await db.pool.connect();
  let broken = true;
  try {
    await client.query('begin');
    const applied = await client.query(stepQuery(step, input));
    const posted = await client.query(postingsQuery(input.orderId, input.version + 1));
    await client.query('rollback');
    broken = false;
    return applied.rows.length > 0 ? posted.rows : undefined;
  } finally {
    client.release(broken);
  }
}
