import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
  proxyLocalActivities,
} from '@temporalio/workflow';
import type { FinalVerdict, VerificationActivities } from '../activities/verification.ts';
import type { Command } from '../src/domain/order-commands.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import type { Traced } from '../src/domain/traced.ts';
import { leftToThePatient } from './at-once.ts';
import { inBackground } from './background.ts';

// A look that a dying worker took with it is taken again after this.
const LOOK_WITHIN = '10s';

/** Looks at the chain until it gives a verdict; between looks nothing is held but a line in Temporal. */
const patient = proxyActivities<VerificationActivities>({
  startToCloseTimeout: LOOK_WITHIN,
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

/** In the task of the step that names the transaction: most are final by then. */
const { verifyAtOnce } = proxyLocalActivities<VerificationActivities>({
  startToCloseTimeout: '2s',
  retry: { maximumAttempts: 1 },
});

/** One look, for a verdict that is there or not. */
const single = proxyActivities<VerificationActivities>({
  startToCloseTimeout: LOOK_WITHIN,
  retry: { maximumAttempts: 1 },
});

export interface ChainWatch {
  /** While the order waits for its chain, one verification runs; when it no longer does, none. Waits for its first look. */
  follow: (state: OrderState, cause: Traced) => Promise<void>;
  /** The time for the verification is over: what a last look says, and otherwise that it is. */
  lastLook: (version: number, cause: Traced) => Promise<Command>;
}

/** Verifies an order's transaction, and tells what came of it, and for whom it was looked at. */
export function watchChain(orderId: number, tell: (command: Command, cause: Traced) => void): ChainWatch {
  let running: { version: number; scope: CancellationScope } | undefined;
  return {
    follow: async ({ version, status, frozenMs }, cause) => {
      if (running?.version === version) return;
      running?.scope.cancel();
      running = undefined;
      if (status !== 'crypto_verify_pending' || frozenMs !== null) return;
      const scope = new CancellationScope();
      running = { version, scope };
      const summary = 'look for the payment on its chain';
      const seen = await verifyAtOnce
        .executeWithOptions({ summary }, [{ orderId, ...cause }])
        .catch(leftToThePatient(undefined));
      if (seen) return tell(asCommand(seen, version), cause);
      inBackground(
        scope.run(async () => {
          const verdict = await patient.verifyTransaction.executeWithOptions({ summary }, [
            { orderId, ...cause },
          ]);
          tell(asCommand(verdict, version), cause);
        }),
      );
    },

    // The looks before it may have been far apart, or the workers away.
    lastLook: async (version, cause) => {
      const summary = 'a last look for the payment on its chain';
      try {
        return asCommand(
          await single.verifyTransaction.executeWithOptions({ summary }, [{ orderId, ...cause }]),
          version,
        );
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        const { cause } = error;
        // What the chain, or its node, said; what else went wrong here is not for the order's parties.
        const told = cause instanceof ApplicationFailure && SEEN_ON_CHAIN.includes(cause.type ?? '');
        return { trigger: 'deadline', version, ...(told && { seen: cause.message.slice(0, LONGEST_SEEN) }) };
      }
    },
  };
}

/** With the reason before it, it has to fit the order's events. */
const LONGEST_SEEN = 400;
/** Types of the verification's failures that tell of the chain: see `activities/verification.ts`. */
const SEEN_ON_CHAIN = ['pending', 'not_found', 'ChainUnavailable'];

const asCommand = (verdict: FinalVerdict, version: number): Command =>
  verdict.kind === 'verified'
    ? { trigger: 'verified', version, note: verdict.note ?? null }
    : { trigger: 'invalid', version, reason: verdict.reason };
