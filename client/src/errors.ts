import type { ErrorCode } from './contract.ts';

/**
 * `no_answer`: none came; `unknown`: one that is not the service's own, as of a proxy. A service that is newer than this
 * client may have others.
 */
export type RefusalCode = ErrorCode | 'no_answer' | 'unknown' | (string & {});

/** What the service said when it refused. */
export interface Refusal {
  /** HTTP status; null when no answer came at all. */
  status: number | null;
  /** The name of the refusal, such as `order_not_claimable`: `/docs/errors` of the service explains each. */
  code: RefusalCode;
  /** Finds the request in the service's log. */
  requestId: string | null;
  /** Of `validation_failed`: what is wrong with each field. */
  fields: Record<string, string[]>;
  /** Seconds after which the same call may succeed. */
  retryAfter: number | null;
}

/** A call that the service refused, or did not answer. `message` is the service's own. */
export class CorridorError extends Error implements Refusal {
  override readonly name = 'CorridorError';
  readonly status: number | null;
  readonly code: RefusalCode;
  readonly requestId: string | null;
  readonly fields: Record<string, string[]>;
  readonly retryAfter: number | null;

  constructor(message: string, refusal: Refusal, options?: ErrorOptions) {
    super(message, options);
    this.status = refusal.status;
    this.code = refusal.code;
    this.requestId = refusal.requestId;
    this.fields = refusal.fields;
    this.retryAfter = refusal.retryAfter;
  }
}
