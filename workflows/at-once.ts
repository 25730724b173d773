import { isCancellation } from '@temporalio/workflow';

/**
 * For what is tried at once, in the task of a step: whatever it met, be it a receiver, a chain or our own database that is
 * away, the patient activity waits for. Not asked by its class: a local activity that ran out of time fails with another
 * error when it is replayed than it did at first.
 */
export const leftToThePatient =
  <Outcome>(outcome: Outcome) =>
  (error: unknown): Outcome => {
    if (isCancellation(error)) throw error;
    return outcome;
  };
