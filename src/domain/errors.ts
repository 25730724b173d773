/** Names of the refusals that come from the rules of the service. Contract: "Errors". */
export const DOMAIN_ERROR_CODES = [
  'validation_failed',
  'bad_file_type',
  'too_many_receipts',
  'pricing_unavailable',
  'asset_not_accepted',
  'rate_off_reference',
  'unknown_user',
  'bad_rate_lock',
  'bad_recipient_check',
  'exposure_exceeded',
  'insufficient_collateral',
  'no_receive_address',
  'corridor_not_served',
  'outside_terms',
  'deposit_not_verified',
  'payout_not_verified',
  'key_invalid',
  'session_required',
  'agent_key_required',
  'agent_key_invalid',
  'agent_key_inactive',
  'agent_address_refused',
  'scope_missing',
  'admin_key_invalid',
  'admin_address_refused',
  'permission_missing',
  'lp_unauthorized',
  'lp_not_approved',
  'not_order_owner',
  'receipt_not_allowed',
  'not_found',
  'no_lp_available',
  'amounts_exhausted',
  'order_not_claimable',
  'agent_exposure_exceeded',
  'lp_cooling_down',
  'order_not_confirmed',
  'wrong_state',
  'order_frozen',
  'not_an_extension',
  'nothing_to_verify',
  'not_contested',
  'transaction_rejected',
  'not_replaceable',
  'too_many_replacements',
  'slash_too_high',
  'receipt_uploaded',
  'dispute_too_early',
  'address_taken',
  'name_taken',
  'float_changed',
  'amount_in_use',
  'idempotency_conflict',
  'transaction_used',
  'deposit_expired',
  'too_many_deposits',
  'deposit_lookups_used',
  'too_many_lookups',
  'delivery_pending',
  'order_masked',
  'withdrawal_decided',
  'own_proposal',
  'not_own_key',
  'approval_decided',
  'insufficient_balance',
  'balance_owed',
  'paused',
  'unavailable',
] as const;
export type DomainErrorCode = (typeof DOMAIN_ERROR_CODES)[number];

/** The two parts of zod's flattened error, as the contract shows them. */
export interface ValidationDetails {
  fieldErrors: Record<string, string[] | undefined>;
  formErrors: string[];
}

export interface RefusalOptions {
  details?: ValidationDetails;
  /** Seconds after which the same call may succeed. */
  retryAfter?: number;
  cause?: unknown;
}

/** A refusal with a named code. `message`, if given, replaces the code's standard text and is shown to the client. */
export abstract class Refusal<Code extends string> extends Error {
  readonly code: Code;
  readonly details: ValidationDetails | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: Code, message?: string, options: RefusalOptions = {}) {
    // A refusal is a normal answer. A stack trace would be most of its cost, and nobody reads it.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? '', options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}

/** A refusal that comes from the rules of the service. */
export class DomainError extends Refusal<DomainErrorCode> {
  override readonly name = 'DomainError';
}

/** Refuses one field for a reason that its schema cannot know, in the form of the schema's own refusals. */
export const invalidField = (field: string, message: string): DomainError =>
  new DomainError('validation_failed', undefined, {
    details: { fieldErrors: { [field]: [message] }, formErrors: [] },
  });
