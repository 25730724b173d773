import { type Decimal, decimal } from './money.ts';
import type { Command } from './order-commands.ts';
import { type ReasonFrom, reasonOf } from './status-reasons.ts';

/** The result of one check of a chain for a payment. */
export type Verdict =
  | {
      kind: 'verified';
      /** The amount that arrived, decimal string. */
      paid: string;
      /** Informs the parties that the payment was late. */
      note: ReasonFrom<'chain'> | null;
    }
  /** On the chain, not yet final. */
  | { kind: 'pending'; confirmations: string }
  /** Final, and not the expected payment. */
  | { kind: 'invalid'; reason: ReasonFrom<'chain'> }
  | { kind: 'not_found' };

/** How a verification ends. */
export type FinalVerdict =
  | { kind: 'verified'; note: ReasonFrom<'chain'> | null }
  | { kind: 'invalid'; reason: ReasonFrom<'chain'> };

/** The command that a final verdict on the payment gives an order of this version. */
export const verdictCommand = (verdict: FinalVerdict, version: number): Command =>
  verdict.kind === 'verified'
    ? { trigger: 'verified', version, note: verdict.note }
    : { trigger: 'invalid', version, reason: verdict.reason };

export const VERDICT_KINDS = [
  'not_found',
  'pending',
  'verified',
  'invalid',
] as const satisfies Verdict['kind'][];

/** The terms of a payment on any chain. */
export interface PaymentTerms {
  symbol: string;
  recipient: string;
  /** Exactly this many tokens, decimal string. */
  amount: string;
  /** A transaction before this instant cannot be the payment: the payer did not know the address yet. */
  notBefore: Date;
  /** A transaction after this instant counts, but is late. Null: there is no deadline. */
  dueBy: Date | null;
  /** Whether the platform's own addresses may have sent it, as they send payouts. No payer's money comes from there. */
  platformMaySend: boolean;
}

/** One transfer of the token to the recipient. */
export interface Transfer {
  /** In tokens, decimal string. */
  amount: string;
  /** The platform's own address that sent it, as the settings write it. Null: somebody else sent it. */
  platformSender: string | null;
}

/** The facts of a final, successful transaction that concern a payment. */
export interface FinalTransaction {
  /** The chain's time of the transaction. */
  at: Date;
  /** Each transfer of the token to the recipient. */
  transfers: Transfer[];
}

/**
 * The earliest block whose payment counts for an announcement made at `since`. A chain's clock may be behind ours by
 * `skewMs`: a block has the time at which it was begun, and the XRP Ledger rounds it to ten seconds.
 */
export const earliestBlock = (since: Date, skewMs: number): Date => new Date(since.getTime() - skewMs);

/**
 * Judges whether a final transaction is the payment. One transfer of exactly the amount pays the order, because each
 * live order of a token has its own amount. Transfers are not added up: a transaction may pay many people. The platform's
 * own transfers are no payments: a payout of collateral may go to the address where an LP's payers pay.
 */
export function judgePayment(terms: PaymentTerms, { at, transfers }: FinalTransaction): Verdict {
  const { symbol, amount, notBefore, dueBy, platformMaySend } = terms;
  if (at < notBefore)
    return invalid(reasonOf('paid_too_early', { at: at.toISOString(), not_before: notBefore.toISOString() }));
  if (transfers.length === 0) return invalid(reasonOf('no_transfer', { symbol }));
  const exact = transfers.filter((given) => decimal(given.amount).eq(amount));
  const [first] = exact;
  if (!first) {
    const paid = transfers.map((given) => decimal(given.amount));
    return invalid(otherAmount(decimal(amount), paid, symbol));
  }
  if (!platformMaySend && exact.every(isFromPlatform))
    return invalid(reasonOf('paid_by_platform', { sender: String(first.platformSender) }));
  const note = dueBy && at > dueBy ? reasonOf('paid_late', { at: at.toISOString() }) : null;
  return { kind: 'verified', paid: decimal(amount).toFixed(), note };
}

/** The verdict on a final transaction that is not the payment. */
export const invalid = (reason: ReasonFrom<'chain'>): Verdict => ({ kind: 'invalid', reason });

const isFromPlatform = ({ platformSender }: Transfer): boolean => platformSender !== null;

/** Compares with the transfer that is nearest to the amount. */
function otherAmount(owed: Decimal, transfers: Decimal[], symbol: string): ReasonFrom<'chain'> {
  const paid = transfers.reduce((a, b) => (b.minus(owed).abs().lt(a.minus(owed).abs()) ? b : a));
  const gap = paid.minus(owed);
  const code = gap.isPositive() ? 'overpaid' : 'underpaid';
  return reasonOf(code, {
    ...{ symbol, paid: paid.toFixed(), owed: owed.toFixed(), gap: gap.abs().toFixed() },
  });
}
