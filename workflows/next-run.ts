import { sleep } from '@temporalio/workflow';
import { runInBackground } from './background.ts';

/**
 * Says whether the workflow may continue as a new run. Temporal would let that run sleep until the time at which the first one
 * would have run by itself (`sleepsUntil`), even if something has woken it. So a workflow that needs a new run waits for this
 * time; until then one run has room for all commands. A timer waits, because the clock decides nothing: see `order`.
 */
export function createNextRun(sleepsUntil: string | undefined): { mayBegin: () => boolean } {
  let hasPassed = sleepsUntil === undefined;
  let isWaiting = false;
  return {
    mayBegin: () => {
      if (!hasPassed && !isWaiting) {
        isWaiting = true;
        runInBackground(wait());
      }
      return hasPassed;
    },
  };

  async function wait(): Promise<void> {
    await sleep(Math.max(1, Date.parse(sleepsUntil ?? '') - Date.now()));
    hasPassed = true;
  }
}
