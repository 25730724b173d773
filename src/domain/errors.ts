/**
 * Everything that Corridor refuses, by name. Contract: "Errors".
 * The HTTP status and the standard text of each live in `src/api/error-responses.ts`.
 */
export const ERROR_CODES = [
  'validation_failed',
  'invalid_json',
  'bad_multipart',
  'bad_file_type',
  'pricing_unavailable',
  'asset_not_accepted',
  'rate_off_reference',
  'unknown_user',
  'bad_rate_lock',
  'exposure_exceeded',
  'insufficient_collateral',
  'no_receive_address',
  'deposit_not_verified',
  'agent_key_required',
  'agent_key_invalid',
  'agent_key_inactive',
  'admin_key_invalid',
  'lp_unauthorized',
  'lp_not_approved',
  'not_order_owner',
  'receipt_not_allowed',
  'not_found',
  'no_lp_available',
  'method_not_allowed',
  'order_not_claimable',
  'lp_cooling_down',
  'order_not_confirmed',
  'wrong_state',
  'order_frozen',
  'not_an_extension',
  'nothing_to_verify',
  'transaction_rejected',
  'slash_too_high',
  'idempotency_conflict',
  'transaction_used',
  'delivery_pending',
  'withdrawal_decided',
  'bad_request',
  'request_timeout',
  'headers_too_large',
  'payload_too_large',
  'rate_limited',
  'too_many_connections',
  'unavailable',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

/** The two halves of zod's flattened error, as the contract shows them. */
export interface ValidationDetails {
  fieldErrors: Record<string, string[] | undefined>;
  formErrors: string[];
}

export interface DomainErrorOptions {
  details?: ValidationDetails;
  /** Seconds after which the same call may succeed. */
  retryAfter?: number;
  cause?: unknown;
}

/** A refusal with a name. `message`, where given, replaces the code's standard text and is shown to the caller. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly details: ValidationDetails | undefined;
  readonly retryAfter: number | undefined;
  override readonly name = 'DomainError';

  constructor(code: ErrorCode, message?: string, options: DomainErrorOptions = {}) {
    // A refusal is an answer, and nobody reads where it was made: to note that is most of what an Error costs.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message ?? '', options.cause === undefined ? undefined : { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.details = options.details;
    this.retryAfter = options.retryAfter;
  }
}

/** One field that the schema could not judge, refused as the schema's own are. */
export const invalidField = (field: string, message: string): DomainError =>
  new DomainError('validation_failed', undefined, {
    details: { fieldErrors: { [field]: [message] }, formErrors: [] },
  });
