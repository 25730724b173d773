import { isCancellation } from '@temporalio/workflow';

/**
 * Returns `outcome` when an inline attempt fails, so that the retrying activity takes over. An inline attempt runs in the
 * workflow task of a step and must not wait for a receiver, a chain or a database that is unavailable. The error's class
 * does not matter: a local activity that timed out fails with a different class on replay.
 */
export const leaveToRetryingActivity =
  <Outcome>(outcome: Outcome) =>
  (error: unknown): Outcome => {
    if (isCancellation(error)) throw error;
    return outcome;
  };
