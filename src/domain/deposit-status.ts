/** A deposit adds to the collateral when it is confirmed. */
export const DEPOSIT_STATUSES = ['pending', 'confirmed'] as const;
export type DepositStatus = (typeof DEPOSIT_STATUSES)[number];

/** As callers see it: an announcement that nobody confirmed in time has expired. */
export const SHOWN_DEPOSIT_STATUSES = [...DEPOSIT_STATUSES, 'expired'] as const;

export const shownDepositStatus = (
  { status, expires_at }: { status: DepositStatus; expires_at: Date },
  now: Date,
): (typeof SHOWN_DEPOSIT_STATUSES)[number] =>
  status === 'pending' && expires_at <= now ? 'expired' : status;

/** The most announcements of an LP that are neither confirmed nor expired. */
export const MOST_LIVE_DEPOSITS = 20;

/** The most look-ups of one deposit on its chain. Those that the chain does not answer are not counted. */
export const MOST_LOOKUPS = 200;
