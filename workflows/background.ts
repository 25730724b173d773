import { isCancellation } from '@temporalio/workflow';

/** Cancelled work is no failure: its order has moved on, or an operator has cancelled the workflow. */
export function inBackground(work: Promise<void>): void {
  work.catch((error) => {
    if (!isCancellation(error)) throw error;
  });
}
