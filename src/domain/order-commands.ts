import type { ReasonFrom } from './status-reasons.ts';

/** The commands that move an order. Pure, so that they can run in the workflow sandbox. */

/** Commands from outside. Each is a signal of this name. */
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
  'expireNow',
  'freeze',
  'unfreeze',
  'revoke',
] as const;
export type SignalTrigger = (typeof SIGNAL_TRIGGERS)[number];

/** Commands that the workflow sends to itself: an automatic claim, the chain's verdict, a deadline. */
export const OWN_TRIGGERS = ['autoClaim', 'verified', 'invalid', 'deadline'] as const;
export type Trigger = SignalTrigger | (typeof OWN_TRIGGERS)[number];

/** The kinds of actors that move orders. `service` is Corridor itself: a deadline passed, or a chain has a verdict. */
export const ACTOR_KINDS = ['agent', 'lp', 'admin', 'service'] as const;
export type ActorKind = (typeof ACTOR_KINDS)[number];

/** How records name an admin. `root` has the key of the settings, which belongs to no person. */
export type AdminActor = `admin:${number | 'root'}`;

/** How an admin ends a dispute. */
export const OUTCOMES = ['completed', 'cancelled'] as const;
export type ResolveOutcome = (typeof OUTCOMES)[number];

/**
 * Findings of a step in rows that the workflow does not have. The workflow adds the finding to the command and decides
 * again.
 * `not_reofferable`: the order ends with this claim, because too many claims have failed or no other LP can take it.
 * `receipt`: the LP has uploaded a receipt, so fiat may have been sent. `revoked`: the key of the order's agent is revoked.
 */
export const FINDINGS = ['not_reofferable', 'receipt', 'revoked'] as const;
export type Finding = (typeof FINDINGS)[number];

export type Command =
  /**
   * The step computes what the LP locks. `validUntil` (ISO 8601): after this instant the claim is void. Otherwise it
   * could lock the LP's collateral long after the LP's request timed out.
   */
  | { trigger: 'claim'; lpId: number; validUntil: string }
  | { trigger: 'autoClaim'; lpId: number; validUntil: string }
  | { trigger: 'fiatSent'; lpId: number }
  | { trigger: 'confirm' }
  /** `txHash` is normalised, `txHashGiven` as the agent wrote it. */
  | { trigger: 'settle'; txHash: string; txHashGiven: string }
  | { trigger: 'cancel'; by: 'agent' | 'admin' }
  /**
   * The LP gets no strike if it claimed the order after `freeSince` (ISO 8601), shortly before this command, and has free
   * releases left.
   */
  | { trigger: 'release'; lpId: number; freeSince: string; found?: Finding }
  | { trigger: 'dispute'; by: 'agent' }
  | { trigger: 'dispute'; by: 'lp'; lpId: number }
  /** `slashUsd`: the part of its locked collateral that the LP loses, decimal string with two decimal places. */
  | {
      trigger: 'resolve';
      outcome: ResolveOutcome;
      slashUsd: string;
      /** The transaction that the admin names as the payment, normalised. Only with the outcome `completed`. */
      txHash: string | null;
    }
  /** Names the order's own transaction, or the one that an admin names in its place. */
  | { trigger: 'retryVerification'; txHash: string; txHashGiven: string }
  /** ISO 8601, as `Date.toISOString` writes it. */
  | { trigger: 'extend'; until: string }
  /** Sandbox only: moves the deadline of the stage that this version is in to the present. */
  | { trigger: 'expireNow'; version: number }
  | { trigger: 'freeze' }
  /** `falseEvidence`: the LP that stopped the order, because it said that it had paid, gets a strike. */
  | { trigger: 'unfreeze'; falseEvidence?: boolean }
  /** The agent's key is revoked: an open order ends, and the LP of a claimed one gets time to report fiat that it has sent. */
  | { trigger: 'revoke' }
  | { trigger: 'verified'; version: number; note: ReasonFrom<'chain'> | null }
  | { trigger: 'invalid'; version: number; reason: ReasonFrom<'chain'> }
  /** `seen`: the result of the last chain check. */
  | { trigger: 'deadline'; version: number; seen?: string; found?: Finding };

/** A command from outside: it reaches the workflow in the signal of its trigger's name. */
export type SignalCommand = Extract<Command, { trigger: SignalTrigger }>;

/** Notices: signals from Corridor that move no order, each of this name. */
export const NOTICE_TRIGGERS = ['refresh', 'redeliver', 'offer'] as const;
export type NoticeTrigger = (typeof NOTICE_TRIGGERS)[number];

export type Notice =
  /** The workflow may be behind its row, which it must read: Temporal's store may have lost its most recent writes. */
  | { trigger: 'refresh' }
  /** A webhook's row says that it is owed again. */
  | { trigger: 'redeliver'; seq: number }
  /** LPs with auto-claim may be able to take more: search for one again. */
  | { trigger: 'offer' };

/**
 * A command, or a notice, with its sender. From the handler to the statement each stage has these fields and adds its own:
 * `CommandAttempt`, `Envelope` (the signal), `SignedCommand`, `QueuedRequest` (the workflow) and `StepInput` (the activity).
 */
export interface CommandRequest<Carried extends Command | Notice = Command> {
  /** A UUID. The step records its outcome under it, and runs once for each id. */
  requestId: string;
  /** `agent:3`, `lp:7`, `admin:2` or `service`. */
  actor: string;
  command: Carried;
  /**
   * The version of the order that the API decided on. The command applies to no other: somebody who reaches Temporal could
   * hold it back until the order has come to the same status again. Notices and the workflow's own commands have none.
   */
  forVersion?: number | undefined;
  /** By the API: see `src/temporal/command-signature.ts`. The workflow's own commands have none. */
  signature?: string | undefined;
}
