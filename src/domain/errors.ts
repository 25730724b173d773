import type { DomainErrorCode } from './error-codes.ts';

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
