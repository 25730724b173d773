import type { Attributes, Span } from '@opentelemetry/api';

/**
 * The tracing interface of the code. Without an endpoint it is off: each call then costs one check of a variable, and
 * OpenTelemetry is not loaded. Only `opentelemetry.ts` uses OpenTelemetry, and it is imported only if tracing is on.
 */

/** The data of a span. Names and attributes follow OpenTelemetry's semantic conventions, where these have one. */
export interface SpanPlan {
  name: string;
  kind?: 'server' | 'client' | 'internal';
  attributes?: Attributes;
  /** Traceparent of the parent span. Omitted: the current span. Null: the span starts a trace. */
  parent?: string | null;
  /** Traceparents of related spans. */
  links?: string[];
}

export interface Tracing {
  /** Runs the work in a span. The span fails if the work does, except with an expected refusal. */
  span: <T>(plan: SpanPlan, work: (span: Span) => Promise<T>) => Promise<T>;
  /** Adds a span for work that has just ended and took this many milliseconds. */
  past: (plan: SpanPlan, tookMs: number, failed: boolean) => void;
  /** The current span. */
  current: () => Span | undefined;
  /** The current span's traceparent. */
  traceparent: () => string | undefined;
  /** Links the current span to another one, by its traceparent. */
  link: (traceparent: string) => void;
  /** Runs work that belongs to no span. */
  outside: <T>(work: () => T) => T;
  /** Sends the remaining spans. Gives up after a few seconds. */
  close: () => Promise<void>;
}

let tracing: Tracing | undefined;

export const installTracing = (installed: Tracing | undefined): void => {
  tracing = installed;
};

/** Undefined if tracing is off. */
export const activeTracing = (): Tracing | undefined => tracing;

/** Runs the work in a span of the current trace. Without a trace, just runs it. */
export const inTrace = <T>(plan: () => SpanPlan, work: (span?: Span) => Promise<T>): Promise<T> =>
  tracing?.current() ? tracing.span(plan(), work) : work();

/** Runs work that several requests share, and that belongs to the trace of none of them. */
export const outsideTraces = <T>(work: () => T): T => (tracing ? tracing.outside(work) : work());

/** The current traceparent, as a field of a message. No field without a trace. */
export function carriedTrace(): { trace?: string } {
  const trace = tracing?.traceparent();
  return trace === undefined ? {} : { trace };
}

/** Marks the current span with its order. `origin`: the traceparent of the span that created the order. */
export function aboutOrder(orderId: number, origin?: string | null): void {
  tracing?.current()?.setAttribute(ORDER_ID, orderId);
  if (origin) tracing?.link(origin);
}

export const ORDER_ID = 'order.id';

/** Marks a span as failed. `type`: one of a few values, without personal data. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: STATUS_ERROR });
}

/** `SpanStatusCode.ERROR`. Its package is not loaded while tracing is off. */
const STATUS_ERROR = 2;

/** Fields that connect a log line with its trace. */
export function traceFields(): object {
  const ids = tracing?.current()?.spanContext();
  return ids ? { trace_id: ids.traceId, span_id: ids.spanId } : {};
}
