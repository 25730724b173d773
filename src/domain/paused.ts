import { DomainError } from './errors.ts';

/** An admin has to end a pause or an incident, so an earlier retry would not help. */
const RETRY_AFTER_SECONDS = 30;

/** The refusal of a payment or a claim that a pause or an incident stops. `reason`: its reason, if it is known. */
export const paused = (reason?: string): DomainError =>
  new DomainError(
    'paused',
    reason &&
      `New payments and claims are paused: ${reason}. Nothing was changed. Repeat the same call later; claimed orders continue.`,
    { retryAfter: RETRY_AFTER_SECONDS },
  );
