import { CancellationScope, sleep } from '@temporalio/workflow';
import { runInBackground } from './background.ts';

/** A timer for an order's deadline, by the clock of its workflow. */
export interface DeadlineTimer {
  /**
   * Sets the timer to fire at this instant (ISO 8601), but no sooner than `minDelayMs` from now. A timer that was set
   * for an earlier instant may still fire first: then call `setFor` again.
   */
  setFor: (instant: string, minDelayMs: number) => void;
  hasRung: () => boolean;
  /** Resets the timer. Returns whether it fired for this instant. */
  reset: (instant: string | null) => boolean;
}

/**
 * Most deadlines are replaced by later ones. The timer then keeps its earlier instant, and the workflow sets it again
 * when it fires. So an order that meets its deadlines costs one timer in total. Only the deadlines determine whether to
 * keep the timer, because the workflow's clock may show another time on replay.
 */
export function createDeadlineTimer(): DeadlineTimer {
  let timer: { at: number; isDelayed: boolean; scope: CancellationScope } | undefined;
  let rangFor: number | undefined;
  return {
    setFor: (instant, minDelayMs) => {
      const at = Date.parse(instant);
      if (timer && (timer.at === at || (timer.at < at && !timer.isDelayed))) return;
      timer?.scope.cancel();
      const scope = new CancellationScope();
      timer = { at, isDelayed: minDelayMs > 0, scope };
      runInBackground(
        scope.run(async () => {
          await sleep(Math.max(1, minDelayMs, at - Date.now()), { summary: 'deadline' });
          timer = undefined;
          rangFor = at;
        }),
      );
    },
    hasRung: () => rangFor !== undefined,
    reset: (instant) => {
      const rangForInstant = instant !== null && rangFor === Date.parse(instant);
      rangFor = undefined;
      return rangForInstant;
    },
  };
}
