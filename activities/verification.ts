import { ApplicationFailure } from '@temporalio/activity';
import { ChainUnavailable } from '../src/adapters/chain-unavailable.ts';
import { crashPoint } from '../src/crash-point.ts';
import { expectedPayment } from '../src/db/queries/expected-payment.ts';
import type { ActivityDeps } from './deps.ts';

/** The two ends of a verification. Anything less is not an end: the activity fails and is tried again. */
export type FinalVerdict = { kind: 'verified'; note: string | null } | { kind: 'invalid'; reason: string };

const LONGEST_REASON = 500;

export interface VerificationActivities {
  verifyTransaction: (input: { orderId: number }) => Promise<FinalVerdict>;
}

/**
 * One look at the chain per attempt; Temporal's retry policy does the waiting. So an unconfirmed transaction holds
 * no worker slot and adds nothing to the history, survives every restart, and the Temporal UI shows what the last
 * look saw.
 */
export const verificationActivities = ({ db, chains }: ActivityDeps): VerificationActivities => ({
  verifyTransaction: async ({ orderId }) => {
    const { chain, ...payment } = await expectedPayment(db, orderId);
    const verifier = chains.get(chain);
    if (!verifier) throw new ChainUnavailable(chain, 'this chain is no longer configured');
    crashPoint('verification.begun');
    const verdict = await verifier.verify(payment);
    crashPoint('verification.seen');
    if (verdict.kind === 'verified') return { kind: 'verified', note: verdict.note };
    // A reason may quote the node, and has to fit the order's row.
    if (verdict.kind === 'invalid')
      return { kind: 'invalid', reason: verdict.reason.slice(0, LONGEST_REASON) };
    const seen =
      verdict.kind === 'pending'
        ? `The transaction is not final: ${verdict.confirmations}`
        : 'No such transaction yet';
    // Benign: an expected state of affairs, logged at debug level only.
    throw ApplicationFailure.create({
      message: seen,
      type: verdict.kind,
      category: 'BENIGN',
    });
  },
});
