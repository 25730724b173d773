import {
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  proxyActivities,
} from '@temporalio/workflow';
import type { VerificationActivities } from '../src/domain/activity-types.ts';
import type { Command } from '../src/domain/order-commands.ts';
import type { OrderState } from '../src/domain/order-state.ts';
import { verdictCommand } from '../src/domain/payment-verdict.ts';
import type { TraceContext } from '../src/domain/trace-context.ts';
import { runInBackground } from './background.ts';

/** If a worker dies during a check, Temporal gives the check to another worker after this time. */
const CHECK_TIMEOUT = '10s';

/** Checks the chain until there is a verdict. Between checks it holds no worker slot. */
const retrying = proxyActivities<VerificationActivities>({
  startToCloseTimeout: CHECK_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

/** Checks once. */
const single = proxyActivities<VerificationActivities>({
  startToCloseTimeout: CHECK_TIMEOUT,
  retry: { maximumAttempts: 1 },
});

export interface ChainWatch {
  /** Starts to verify the order's transaction, unless the verification already runs. */
  follow: (state: OrderState, traces: TraceContext) => void;
  /** Stops the verification: the order has moved. */
  stop: () => void;
  /** Checks once more when the verification's deadline has passed: the previous check may be 30 s old. */
  checkLastTime: (version: number, traces: TraceContext) => Promise<Command>;
}

/** Verifies an order's transaction, and reports the verdict as a command. */
export function watchChain(
  orderId: number,
  report: (command: Command, traces: TraceContext) => void,
): ChainWatch {
  let running: { version: number; scope: CancellationScope } | undefined;
  const summary = 'check the chain for the payment';
  return {
    follow: ({ version, frozenMs }, traces) => {
      if (frozenMs !== null || running?.version === version) return;
      const scope = new CancellationScope();
      running = { version, scope };
      runInBackground(
        scope.run(async () => {
          const verdict = await retrying.verifyTransaction.executeWithOptions({ summary }, [
            { orderId, ...traces },
          ]);
          report(verdictCommand(verdict, version), traces);
        }),
      );
    },

    stop: () => {
      running?.scope.cancel();
      running = undefined;
    },

    checkLastTime: async (version, traces) => {
      try {
        const verdict = await single.verifyTransaction.executeWithOptions(
          { summary: `${summary}, last time` },
          [{ orderId, ...traces }],
        );
        return verdictCommand(verdict, version);
      } catch (error) {
        if (!(error instanceof ActivityFailure)) throw error;
        return { trigger: 'deadline', version, ...seenOnChain(error.cause) };
      }
    },
  };
}

/** The text follows the deadline's reason. Both together must fit the reason of an event. */
const MAX_SEEN_LENGTH = 400;
/** Types of the verification's failures that describe the chain: see `activities/verification.ts`. */
const SEEN_ON_CHAIN = ['pending', 'not_found', 'ChainUnavailable'];

/** Returns what the chain or its node reported. Other failures are internal, and the order's parties do not see them. */
const seenOnChain = (cause: unknown): { seen?: string } =>
  cause instanceof ApplicationFailure && SEEN_ON_CHAIN.includes(cause.type ?? '')
    ? { seen: cause.message.slice(0, MAX_SEEN_LENGTH) }
    : {};
