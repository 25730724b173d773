import { LEDGER_PURPOSES, type LedgerPurpose } from '../../domain/ledger.ts';
import type { StepName } from '../../domain/order-state.ts';
import type { StepInput, StepRefusal } from '../../domain/steps.ts';
import type { Database } from '../orm.ts';
import { refusalFrom, stepQuery } from '../steps/perform-step.ts';

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

export interface Rehearsal {
  postings: Posting[];
  /** Why the step would be refused, if it would. */
  refusal: StepRefusal | undefined;
}

/**
 * What a step would post, found out by carrying it out and taking it back: no second reckoning that could differ.
 */
export async function rehearse(db: Database, step: StepName, input: StepInput): Promise<Rehearsal> {
  const client = await db.pool.connect();
  let broken = true;
  try {
    await client.query('begin');
    const result = await attempt();
    await client.query('rollback');
    broken = false;
    return result;
  } finally {
    client.release(broken);
  }

  async function attempt(): Promise<Rehearsal> {
    try {
      const applied = await client.query(stepQuery(step, input));
      if (applied.rows.length === 0) {
        const { rows } = await client.query('select version from orders where id = $1', [input.orderId]);
        const moved = rows[0]?.version !== input.version;
        return { postings: [], refusal: moved ? 'wrong_state' : 'slash_too_high' };
      }
      const posted = await client.query(postingsQuery(input.orderId, input.version + 1));
      return { postings: posted.rows, refusal: undefined };
    } catch (error) {
      const refusal = refusalFrom(error);
      if (!refusal) throw error;
      return { postings: [], refusal };
    }
  }
}
