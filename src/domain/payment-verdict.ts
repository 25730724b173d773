import { basisPoints, decimal } from './money.ts';

/** What a look at a chain says of a payment. */
export type Verdict =
  | {
      kind: 'verified';
      /** What arrived, decimal string. */
      paid: string;
      /** What people should know of it: that it was too much, or late. */
      note: string | null;
    }
  /** On the chain, not yet final. */
  | { kind: 'pending'; confirmations: string }
  /** Final, and not the payment that was expected. */
  | { kind: 'invalid'; reason: string }
  | { kind: 'not_found' };

/** What a payment must be, whatever its chain. */
export interface PaymentTerms {
  symbol: string;
  recipient: string;
  /** At least this many tokens, decimal string. */
  amount: string;
  /** A transaction from before this time was made for something else. */
  notBefore: Date;
  /** One from after it has paid, but late; null: there is no such time. */
  dueBy: Date | null;
}

/** A final transaction that succeeded, as far as it concerns a payment. */
export interface FinalTransaction {
  /** When its chain says that it was made. */
  at: Date;
  /** Each transfer of the token to the recipient, in tokens, decimal strings. */
  transfers: string[];
}

/**
 * A payment may be more than what is owed by so much: a payer's rounding. More is taken for somebody else's payment to
 * the same LP, whose hash must stay free for the order that it was made for.
 */
export const OVERPAYMENT_BPS = 100;

/** How far a chain's clock and ours may be apart; blocks carry the time at which they were begun. */
export const CLOCK_TOLERANCE_MS = 60_000;

/**
 * Whether a final transaction is the payment. One transfer pays one order: several are not added up, because a
 * transaction may pay many, and what was meant for one would count for another. Of several the smallest that is
 * enough is taken.
 */
export function judgePayment(terms: PaymentTerms, { at, transfers }: FinalTransaction): Verdict {
  const { symbol, amount, notBefore, dueBy } = terms;
  if (at.getTime() < notBefore.getTime() - CLOCK_TOLERANCE_MS) {
    const early = `The transaction is from ${at.toISOString()}, before what it should pay for`;
    return { kind: 'invalid', reason: early };
  }
  const sorted = transfers.map((given) => decimal(given)).sort((a, b) => a.cmp(b));
  const largest = sorted.at(-1);
  if (!largest)
    return { kind: 'invalid', reason: `The transaction pays no ${symbol} to the address that it should` };
  const paid = sorted.find((given) => given.gte(amount));
  if (!paid) return { kind: 'invalid', reason: `The transaction pays ${largest.toFixed()}, not ${amount}` };

  const over = paid.minus(amount);
  if (over.gt(basisPoints(decimal(amount), OVERPAYMENT_BPS))) {
    const other = `The transaction pays ${paid.toFixed()}, not ${amount}: too much to be meant for this`;
    return { kind: 'invalid', reason: other };
  }
  const notes = [
    ...(over.isZero() ? [] : [`The transaction pays ${paid.toFixed()}, ${over.toFixed()} more than is owed`]),
    ...(dueBy && at > dueBy ? [`The payment was made at ${at.toISOString()}, after its deadline`] : []),
  ];
  return { kind: 'verified', paid: paid.toFixed(), note: notes.join('. ') || null };
}
