/**
 * What can be asked of an order. Pure, and free of imports, so that it runs in the workflow sandbox.
 */

/** Commands from outside: each is a signal of this name. */
export const SIGNAL_TRIGGERS = [
  'claim',
  'fiatSent',
  'confirm',
  'settle',
  'cancel',
  'release',
  'dispute',
  'resolve',
  'retryVerification',
  'extend',
  'advance',
  'freeze',
  'unfreeze',
] as const;
export type SignalTrigger = (typeof SIGNAL_TRIGGERS)[number];

/** What the order asks of itself: an LP's standing wish, the chain's verdict, the clock. */
export const OWN_TRIGGERS = ['autoClaim', 'verified', 'invalid', 'deadline'] as const;
export type Trigger = SignalTrigger | (typeof OWN_TRIGGERS)[number];

/** Who may ask for a transition. `service` is Corridor itself. */
export type Asker = 'agent' | 'lp' | 'admin' | 'service';

/** How an admin ends a dispute. */
export const OUTCOMES = ['completed', 'cancelled'] as const;
export type ResolveOutcome = (typeof OUTCOMES)[number];

export type Command =
  /**
   * `collateral`: USD to lock, decimal string. `validUntil` (ISO 8601): later it is void, so that an LP that has long
   * been told to try again does not find collateral locked unasked.
   */
  | { trigger: 'claim'; lpId: number; collateral: string; validUntil: string }
  | { trigger: 'autoClaim'; lpId: number; collateral: string; validUntil: string }
  | { trigger: 'fiatSent'; lpId: number }
  | { trigger: 'confirm' }
  | { trigger: 'settle'; txHash: string /** as the agent wrote it */; txHashGiven: string }
  | { trigger: 'cancel'; by: 'agent' | 'admin' }
  /** An LP gives an order back without a strike if it claimed it after `freeSince` (ISO 8601), not long before it asked. */
  | { trigger: 'release'; lpId: number; freeSince: string; nobodyElse?: true }
  | { trigger: 'dispute'; by: 'agent' }
  | { trigger: 'dispute'; by: 'lp'; lpId: number }
  /** `slashUsd`: what the LP loses of its slice, decimal string with two digits after the point. */
  | {
      trigger: 'resolve';
      outcome: ResolveOutcome;
      slashUsd: string /** normalised, as the row has it */;
      txHash: string | null;
    }
  /** The transaction to look for: the order's own, or the one that an admin names in its place. */
  | { trigger: 'retryVerification'; txHash: string; txHashGiven: string }
  /** ISO 8601, as `Date.toISOString` writes it. */
  | { trigger: 'extend'; until: string }
  /** Moves the deadline of the stage that is meant to this moment, where there is a sandbox; the clock does the rest. */
  | { trigger: 'advance'; version: number }
  | { trigger: 'freeze' }
  | { trigger: 'unfreeze' }
  | { trigger: 'verified'; version: number; note: string | null }
  | { trigger: 'invalid'; version: number; reason: string }
  /** `seen`: what the last look at the chain saw. `nobodyElse`: no other LP could be offered the order. */
  | { trigger: 'deadline'; version: number; seen?: string; nobodyElse?: true };

/** A command that comes as a signal, by its trigger. */
export type SignalCommand<Name extends SignalTrigger> = Extract<Command, { trigger: Name }>;
