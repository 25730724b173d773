import type { ErrorCode } from './contract.ts';

/**
 * The service's error code; `no_answer` if the service did not answer; `unknown` if something else answered, such as a
 * proxy. A newer service can have other codes.
 */
export type RefusalCode = ErrorCode | 'no_answer' | 'unknown' | (string & {});

/** The details of a refusal. */
export interface Refusal {
  /** The HTTP status; null if the service did not answer. */
  status: number | null;
  /** The error code, such as `order_not_claimable`. The service explains each code at `/docs/errors`. */
  code: RefusalCode;
  /** Finds the request in the service's log. */
  requestId: string | null;
  /** For `validation_failed`: what is wrong with each field. */
  fields: Record<string, string[]>;
  /** Seconds to wait before the same call can succeed. */
  retryAfter: number | null;
  /**
   * The Idempotency-Key of the call, if it had one. After `no_answer`, repeat `pay` or `withdraw` with it: the call may have
   * succeeded, and another key would make another payment.
   */
  idempotencyKey: string | null;
}

/** A call that the service refused or did not answer. `message` is the service's message. */
export class CorridorError extends Error implements Refusal {
  override readonly name = 'CorridorError';
  readonly status: number | null;
  readonly code: RefusalCode;
  readonly requestId: string | null;
  readonly fields: Record<string, string[]>;
  readonly retryAfter: number | null;
  readonly idempotencyKey: string | null;

  constructor(message: string, refusal: Refusal, options?: ErrorOptions) {
    super(message, options);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.fields = refusal.fields;
    this.retryAfter = refusal.retryAfter;
    this.idempotencyKey = refusal.idempotencyKey;
  }
}
