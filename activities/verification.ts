import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ChainUnavailable } from '../src/adapters/chain-unavailable.ts';
import type { VerificationActivities } from '../src/domain/activity-types.ts';
import type { FinalVerdict, Verdict } from '../src/domain/payment-verdict.ts';
import { reasonOf } from '../src/domain/status-reasons.ts';
import { expectedPayment, type PaymentToVerify } from '../src/orders/expected-payment.ts';
import { recordVerdict } from '../src/orders/record-verdict.ts';
import { crashPoint } from '../src/process/crash-point.ts';
import type { ActivityDeps } from './deps.ts';
import { createRecentEndpoints } from './recent-endpoints.ts';

/** Checks the chain once if it was recently fast. Undefined: there is no final verdict yet, so use `verifyTransaction`. */
export type FirstLook = (orderId: number) => Promise<FinalVerdict | undefined>;

/** A workflow task waits no longer than this for a chain that was fast until now. */
const INLINE_TIMEOUT_MS = 500;

/**
 * Each attempt checks the chain once, and Temporal's retry policy does the waiting. So an unconfirmed transaction holds
 * no worker slot, adds nothing to the history and survives every restart, and the Temporal UI shows the last check's result.
 */
export function verificationActivities({
  db,
  chains,
  chainClockSkew,
}: Pick<ActivityDeps, 'db' | 'chains' | 'chainClockSkew'>): VerificationActivities & {
  firstLook: FirstLook;
} {
  const endpoints = createRecentEndpoints();
  return {
    verifyTransaction: async ({ orderId }) => {
      const expected = await expectedPayment(db, orderId, chainClockSkew);
      const verdict = await check(expected);
      const final = await record(expected, verdict);
      if (final) return final;
      // Benign: expected, so the SDK logs it at debug level only.
      throw ApplicationFailure.create({ message: seenOf(verdict), type: verdict.kind, category: 'BENIGN' });
    },

    firstLook: async (orderId) => {
      const expected = await expectedPayment(db, orderId, chainClockSkew);
      const { chain } = expected.verification;
      if (!endpoints.isRecentlyFast(chain)) return undefined;
      const raceOver = new AbortController();
      const verdict = await Promise.race([
        check(expected),
        delay(INLINE_TIMEOUT_MS, undefined, { signal: raceOver.signal }),
      ]).finally(() => raceOver.abort());
      if (!verdict) endpoints.recordAnswer(chain, INLINE_TIMEOUT_MS);
      return verdict && record(expected, verdict);
    },
  };

  async function check({ payment, verification: { chain } }: PaymentToVerify): Promise<Verdict> {
    const verifier = chains.get(chain);
    if (!verifier) throw new ChainUnavailable(chain, 'this chain is no longer configured');
    crashPoint('verification.begun');
    const began = performance.now();
    const verdict = await verifier.verify(payment);
    endpoints.recordAnswer(chain, performance.now() - began);
    crashPoint('verification.seen');
    return verdict;
  }

  /** Undefined while the chain's answer may still change, and if the order has moved since the check began. */
  async function record(
    { verification }: PaymentToVerify,
    verdict: Verdict,
  ): Promise<FinalVerdict | undefined> {
    const recorded = await recordVerdict(db, verification, verdict);
    crashPoint('verification.recorded');
    if (recorded === 'superseded') return undefined;
    if (recorded === 'transaction_used') return { kind: 'invalid', reason: reasonOf('transaction_used') };
    if (verdict.kind === 'verified') return { kind: 'verified', note: verdict.note };
    return verdict.kind === 'invalid' ? verdict : undefined;
  }
}

function seenOf(verdict: Verdict): string {
  if (verdict.kind === 'not_found') return 'No such transaction yet';
  if (verdict.kind === 'pending') return `The transaction is not final: ${verdict.confirmations}`;
  return 'The order moved during the check';
}
