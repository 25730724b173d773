import { DomainError } from './errors.ts';

/** Somebody has to end a pause, so repeating the call sooner is of no use. */
const RETRY_AFTER_SECONDS = 30;

/** The refusal of a payment or a claim that an admin has paused. `reason`: the admin's, if it is known. */
export const paused = (reason?: string): DomainError =>
  new DomainError(
    'paused',
    reason &&
      `New payments and claims are paused: ${reason}. Nothing was changed. Repeat the same call later; orders under way go on.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );
