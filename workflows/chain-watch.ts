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
import type { TraceContext } from '../src/domain/trace-context.ts';
import { runInBackground } from './background.ts';
import { leaveToRetryingActivity } from './inline.ts';

/** If a worker dies during a check, Temporal gives the check to another worker after this time. */
const CHECK_TIMEOUT = '10s';

/** Checks the chain until there is a verdict. Between checks it holds no worker slot. */
const retrying = proxyActivities<VerificationActivities>({
  startToCloseTimeout: CHECK_TIMEOUT,
  retry: { initialInterval: '1s', backoffCoefficient: 1.5, maximumInterval: '30s' },
});

/** Checks once in the workflow task of the settle step: most transactions are final by then. */
const { verifyInline } = proxyLocalActivities<VerificationActivities>({
  startToCloseTimeout: '2s',
  retry: { maximumAttempts: 1 },
});

/** Checks once. */
const single = proxyActivities<VerificationActivities>({
  startToCloseTimeout: CHECK_TIMEOUT,
  retry: { maximumAttempts: 1 },
});

export interface ChainWatch {
  /** Starts to verify the order's transaction, unless the verification already runs. Returns after the first check. */
  follow: (state: OrderState, traces: TraceContext) => Promise<void>;
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
    follow: async ({ version, frozenMs }, traces) => {
      if (frozenMs !== null || running?.version === version) return;
      const scope = new CancellationScope();
      running = { version, scope };
      const input = { orderId, ...traces };
      const seen = await verifyInline
        .executeWithOptions({ summary }, [input])
        .catch(leaveToRetryingActivity(undefined));
      if (seen) return report(asCommand(seen, version), traces);
      runInBackground(
        scope.run(async () => {
          const verdict = await retrying.verifyTransaction.executeWithOptions({ summary }, [input]);
          report(asCommand(verdict, version), traces);
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
        return asCommand(verdict, version);
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

const asCommand = (verdict: FinalVerdict, version: number): Command =>
  verdict.kind === 'verified'
    ? { trigger: 'verified', version, note: verdict.note ?? null }
    : { trigger: 'invalid', version, reason: verdict.reason };
