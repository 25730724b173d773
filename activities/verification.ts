import { setTimeout as delay } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/activity';
import { ChainUnavailable } from '../src/adapters/chain-unavailable.ts';
import type { ExpectedPayment } from '../src/adapters/ports.ts';
import { crashPoint } from '../src/crash-point.ts';
import { expectedPayment } from '../src/db/queries/expected-payment.ts';
import type { Chain } from '../src/domain/assets.ts';
import type { Verdict } from '../src/domain/payment-verdict.ts';
import type { Traced } from '../src/domain/traced.ts';
import type { ActivityDeps } from './deps.ts';
import { createSwiftPeers } from './swift-peers.ts';

/** The two ends of a verification. Anything less is not an end: the activity fails and is tried again. */
export type FinalVerdict = { kind: 'verified'; note: string | null } | { kind: 'invalid'; reason: string };

const LONGEST_REASON = 500;

export interface VerificationActivities {
  /** Fails where the chain has nothing final to say yet, or could not be asked. */
  verifyTransaction: (input: Traced & { orderId: number }) => Promise<FinalVerdict>;
  /** The same look where the chain has been swift of late; undefined: no verdict so soon, ask `verifyTransaction`. */
  verifyAtOnce: (input: Traced & { orderId: number }) => Promise<FinalVerdict | undefined>;
}

/** A workflow task waits no longer than this for a chain that was swift until now. */
const AT_ONCE_MS = 500;

/**
 * One look at the chain per attempt; Temporal's retry policy does the waiting. So an unconfirmed transaction holds
 * no worker slot and adds nothing to the history, survives every restart, and the Temporal UI shows what the last
 * look saw.
 */
export function verificationActivities({ db, chains }: ActivityDeps): VerificationActivities {
  const swift = createSwiftPeers();
  return {
    verifyTransaction: async ({ orderId }) => {
      const verdict = await look(await expectedPayment(db, orderId));
      const final = finalOf(verdict);
      if (final) return final;
      const seen =
        verdict.kind === 'pending'
          ? `The transaction is not final: ${verdict.confirmations}`
          : 'No such transaction yet';
      // Benign: an expected state of affairs, logged at debug level only.
      throw ApplicationFailure.create({ message: seen, type: verdict.kind, category: 'BENIGN' });
    },

    verifyAtOnce: async ({ orderId }) => {
      const expected = await expectedPayment(db, orderId);
      if (!swift.isSwift(expected.chain)) return undefined;
      const over = new AbortController();
      const verdict = await Promise.race([
        look(expected),
        delay(AT_ONCE_MS, undefined, { signal: over.signal }),
      ]).finally(() => over.abort());
      if (!verdict) swift.took(expected.chain, AT_ONCE_MS);
      return verdict && finalOf(verdict);
    },
  };

  async function look({ chain, ...payment }: ExpectedPayment & { chain: Chain }): Promise<Verdict> {
    const verifier = chains.get(chain);
    if (!verifier) throw new ChainUnavailable(chain, 'this chain is no longer configured');
    crashPoint('verification.begun');
    const began = performance.now();
    const verdict = await verifier.verify(payment);
    swift.took(chain, performance.now() - began);
    crashPoint('verification.seen');
    return verdict;
  }
}

/** Undefined where the chain may still say otherwise. */
function finalOf(verdict: Verdict): FinalVerdict | undefined {
  if (verdict.kind === 'verified') return { kind: 'verified', note: verdict.note };
  // A reason may quote the node, and has to fit the order's row.
  if (verdict.kind === 'invalid') return { kind: 'invalid', reason: verdict.reason.slice(0, LONGEST_REASON) };
  return undefined;
}
