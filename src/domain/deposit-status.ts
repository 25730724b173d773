/** A deposit adds to the collateral when it is confirmed. */
export const DEPOSIT_STATUSES = ['pending', 'confirmed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** The statuses that callers see: an announcement that was not confirmed in time has expired. */
export const SHOWN_DEPOSIT_STATUSES = [...DEPOSIT_STATUSES, 'expired'] as const;

export const shownDepositStatus = (
  { status, expires_at }: { status: DepositStatus; expires_at: Date },
  now: Date,
): (typeof SHOWN_DEPOSIT_STATUSES)[number] =>
  status === 'pending' && expires_at <= now ? 'expired' : status;

/** Maximum open announcements per LP: neither confirmed nor expired. */
export const MOST_LIVE_DEPOSITS = 20;

/** Maximum look-ups of one deposit on its chain. A look-up that the chain does not answer does not count. */
export const MOST_LOOKUPS = 200;
