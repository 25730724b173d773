import { randomUUID } from 'node:crypto';
import { decimal } from '../../src/domain/money.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import { decide } from '../../src/domain/order-decision.ts';
import type { OrderState, StepName } from '../../src/domain/order-state.ts';
import { isFinding, type StepInput, type StepResult } from '../../src/domain/order-steps.ts';
import { publishTerms, type TermsChange } from '../../src/market/lps/publish-terms.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { type Books, openBooks } from './books.ts';

/** The float of an LP's terms, in cents of the currency. */
export interface Float {
  /** Null: Corridor does not count it. */
  available: number | null;
  reserved: number;
}

/** The result of a command, with the worker's input. `input` is missing if the rules refuse the command without a step. */
export interface Attempt {
  result: StepResult | 'refused';
  step?: StepName;
  input?: StepInput;
}

/** Books with LPs whose terms for KES by mobile money have a float. */
export interface FloatBooks extends Books {
  newFloatLp: (float: string | null) => Promise<number>;
  /** Creates an open order, and returns its id. */
  open: (lpId: number, amountFiat: string) => Promise<number>;
  publish: (lpId: number, change: TermsChange) => Promise<void>;
  floatOf: (lpId: number) => Promise<Float>;
  /** Cents reserved for the orders that the LP has claimed and that have not ended, from the orders' rows. */
  reservedFor: (lpId: number) => Promise<number>;
  /** Carries out a command as a workflow does, including the steps' findings. `repeat` can run the same `input` again. */
  attempt: (orderId: number, command: Command) => Promise<Attempt>;
  repeat: (attempt: Attempt) => Promise<StepResult>;
}

const COLLATERAL = '1000000';
export const KES = { currency: 'KES', method: 'mobile_money' };
export const cents = (amount: string): number => decimal(amount).times(100).toNumber();
export const claimBy = (lpId: number): Command => ({ trigger: 'claim', lpId, validUntil: 'infinity' });

export async function openFloatBooks(): Promise<FloatBooks> {
  const books = await openBooks();
  const { db } = books;
  const publish: FloatBooks['publish'] = (lpId, change) => publishTerms(db, { ...KES, lpId }, change);
  const read = async <T>(sql: string, lpId: number): Promise<T> =>
    (await db.pool.query(sql, [lpId, KES.currency, KES.method])).rows[0];

  async function attempt(orderId: number, command: Command): Promise<Attempt> {
    const state = await books.state(orderId);
    const decision = decide(state, command);
    if (decision.kind !== 'apply') return { result: 'refused' };
    const input = inputFor(orderId, state, command);
    const { step } = decision;
    const { result } = await performStep(db, step, input, NO_LIMITS);
    if (isFinding(result) && !('found' in command))
      return attempt(orderId, { ...command, found: result } as Command);
    // Like the workflow, decides again after the row has changed.
    return result === 'stale' ? attempt(orderId, command) : { result, step, input };
  }

  return {
    ...books,
    publish,
    attempt,
    newFloatLp: async (float) => {
      const lpId = await books.newLp();
      await books.deposit(lpId, COLLATERAL);
      await publish(lpId, { float });
      return lpId;
    },
    open: async (lpId, amountFiat) => {
      const draft = await books.draft(lpId, amountFiat);
      await books.create(draft);
      return draft.id;
    },
    floatOf: (lpId) =>
      read(
        `select (float_available * 100)::int as available, (float_reserved * 100)::int as reserved
         from lp_term where lp_id = $1 and currency = $2 and method = $3`,
        lpId,
      ),
    reservedFor: async (lpId) => {
      const sql = `select coalesce(sum(float_reserved) * 100, 0)::int as reserved from orders
        where lp_id = $1 and currency = $2 and corridor_method = $3
          and status in ('claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'disputed')`;
      return (await read<{ reserved: number }>(sql, lpId)).reserved;
    },
    repeat: async ({ step, input }) => {
      if (!step || !input) throw new Error('The attempt had no step to repeat');
      return (await performStep(db, step, input, NO_LIMITS)).result;
    },
  };
}

const inputFor = (orderId: number, state: OrderState, command: Command): StepInput => ({
  ...{ orderId, state, command },
  requestId: randomUUID(),
  actor: 'lpId' in command ? `lp:${command.lpId}` : 'service',
});
