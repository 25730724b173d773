import { CancellationScope, sleep } from '@temporalio/workflow';
import { inBackground } from './background.ts';

/** Rings when an order's deadline has come, by the time of its workflow's history. */
export interface Alarm {
  /**
   * Has it ring at this instant (ISO 8601), and not within the next `notWithinMs`. What it was set for before is
   * forgotten, and may still make it ring: too early, and then it is to be set again.
   */
  setFor: (instant: string, notWithinMs: number) => void;
  hasRung: () => boolean;
  /** Silences it, and says whether it rang for this instant. */
  silence: (instant: string | null) => boolean;
}

/**
 * A deadline that is followed by a later one, as most are, keeps its timer, which is set on when it rings: an order that
 * comes to its end in time costs one timer in all. Whether to keep it is decided by the deadlines and by nothing else:
 * this code's clock may show another time when it is replayed.
 */
export function createAlarm(): Alarm {
  let timer: { at: number; delayed: boolean; scope: CancellationScope } | undefined;
  let rangFor: number | undefined;
  return {
    setFor: (instant, notWithinMs) => {
      const at = Date.parse(instant);
      if (timer && (timer.at === at || (timer.at < at && !timer.delayed))) return;
      timer?.scope.cancel();
      const scope = new CancellationScope();
      timer = { at, delayed: notWithinMs > 0, scope };
      inBackground(
        scope.run(async () => {
          await sleep(Math.max(1, notWithinMs, at - Date.now()), { summary: 'deadline' });
          timer = undefined;
          rangFor = at;
        }),
      );
    },
    hasRung: () => rangFor !== undefined,
    silence: (instant) => {
      const rightly = instant !== null && rangFor === Date.parse(instant);
      rangFor = undefined;
      return rightly;
    },
  };
}
