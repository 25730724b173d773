import { ORDER_PURPOSES, type OrderPurpose } from '../db/ledger/accounts.ts';
import type { Database } from '../db/orm.ts';
import type { StepName } from '../domain/order-state.ts';
import type { StepInput, StepRefusal } from '../domain/order-steps.ts';
import { refusalFrom } from './steps/perform-step.ts';
import { stepQuery } from './steps/registry.ts';
import { NO_LIMITS } from './steps/shared/step.ts';

/** A transfer that a step of an order posts. */
export interface Posting {
  purpose: OrderPurpose;
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
  values: [orderId, version, ORDER_PURPOSES],
});

/** The newest transaction that is reserved for an order. */
const TRANSACTION = `
  select tx_hash from chain_transaction where order_id = $1 order by created_at desc, tx_hash limit 1`;

/** What a resolution does besides the order's new status. */
export interface ResolutionResult {
  postings: Posting[];
  /** The transaction that counts as the order's payment, normalised. Null: none. */
  txHash: string | null;
}

/** Returns what the step did that led to this version of the order. */
export async function resultOf(db: Database, orderId: number, version: number): Promise<ResolutionResult> {
  const { text, values } = postingsQuery(orderId, version);
  const postings = await db.query<Posting & Record<string, unknown>>('postings', text, values);
  const [used] = await db.query<{ tx_hash: string }>('order-transaction', TRANSACTION, [orderId]);
  return { postings, txHash: used?.tx_hash ?? null };
}

export interface DryRun extends ResolutionResult {
  /** Why the step would be refused. Undefined: it would succeed. */
  refusal: StepRefusal | undefined;
}

const NOTHING: ResolutionResult = { postings: [], txHash: null };

/** Returns what a step would do. Runs the step and rolls it back, so that the figures are exact. */
export async function dryRun(db: Database, step: StepName, input: StepInput): Promise<DryRun> {
  const client = await db.pool.connect();
  let isBroken = true;
  try {
    await client.query('begin');
    const result = await attempt();
    await client.query('rollback');
    isBroken = false;
    return result;
  } finally {
    client.release(isBroken);
  }

  async function attempt(): Promise<DryRun> {
    try {
      const applied = await client.query(stepQuery(step, input, NO_LIMITS));
      if (applied.rows.length === 0) {
        const { rows } = await client.query('select version from orders where id = $1', [input.orderId]);
        const hasMoved = rows[0]?.version !== input.state.version;
        return { ...NOTHING, refusal: hasMoved ? 'wrong_state' : 'slash_too_high' };
      }
      const posted = await client.query(postingsQuery(input.orderId, input.state.version + 1));
      const used = await client.query(TRANSACTION, [input.orderId]);
      return { postings: posted.rows, txHash: used.rows[0]?.tx_hash ?? null, refusal: undefined };
    } catch (error) {
      const refusal = refusalFrom(error);
      if (!refusal) throw error;
      return { ...NOTHING, refusal };
    }
  }
}
