import { isCancellation } from '@temporalio/workflow';

/**
 * Runs work concurrently with the main loop. A cancellation is not a failure: the order has moved on, or an operator has
 * cancelled the workflow.
 */
export function runInBackground(work: Promise<void>): void {
  work.catch((error) => {
    if (!isCancellation(error)) throw error;
  });
}
