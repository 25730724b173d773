import type { Attributes, Span } from '@opentelemetry/api';

/**
 * What the code says of itself for traces. Off, which it is unless an endpoint is set, each of these places costs a look
 * at a variable, and nothing of OpenTelemetry is loaded: `opentelemetry.ts` alone uses it, and is imported when needed.
 */

/** A piece of work. Names and attributes are those of OpenTelemetry's semantic conventions, where these have one. */
export interface SpanPlan {
  name: string;
  kind?: 'server' | 'client' | 'internal';
  attributes?: Attributes;
  /** The traceparent of the span that it belongs under; left out: the one under way; null: it begins a trace. */
  parent?: string | null;
  /** Traceparents of spans that it has to do with. */
  links?: string[];
}

export interface Tracing {
  /** Does the work in a span. It has failed where the work does, but for what was to be expected. */
  span: <T>(plan: SpanPlan, work: (span: Span) => Promise<T>) => Promise<T>;
  /** A span of what is over by now, and took so many milliseconds. */
  past: (plan: SpanPlan, tookMs: number, failed: boolean) => void;
  /** The span under way. */
  current: () => Span | undefined;
  /** Its traceparent. */
  traceparent: () => string | undefined;
  /** Links it to another span, by its traceparent. */
  link: (traceparent: string) => void;
  /** Does what belongs to no span. */
  outside: <T>(work: () => T) => T;
  /** Sends what is still here, for as long as that takes no more than a few seconds. */
  close: () => Promise<void>;
}

let tracing: Tracing | undefined;

export const installTracing = (installed: Tracing | undefined): void => {
  tracing = installed;
};

/** Undefined where no traces are taken. */
export const activeTracing = (): Tracing | undefined => tracing;

/** Does the work in a span of the trace under way; where none is, just does it. */
export const inTrace = <T>(plan: () => SpanPlan, work: (span?: Span) => Promise<T>): Promise<T> =>
  tracing?.current() ? tracing.span(plan(), work) : work();

/** What several requests share belongs to the trace of none of them. */
export const outsideTraces = <T>(work: () => T): T => (tracing ? tracing.outside(work) : work());

/** The traceparent of what is under way, as a field of what is sent on; no field without one. */
export function carriedTrace(): { trace?: string } {
  const trace = tracing?.traceparent();
  return trace === undefined ? {} : { trace };
}

/** Says which order the request is about. `origin`: the traceparent of the span that created it. */
export function aboutOrder(orderId: number, origin?: string | null): void {
  tracing?.current()?.setAttribute(ORDER_ID, orderId);
  if (origin) tracing?.link(origin);
}

export const ORDER_ID = 'order.id';

/** Says that the work of a span has failed. `type`: of few kinds, and nothing that could name somebody. */
export function markFailed(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: STATUS_ERROR });
}

/** `SpanStatusCode.ERROR`: its package is not loaded where no traces are taken. */
const STATUS_ERROR = 2;

/** By which a line of the log is found from its trace, and the other way round. */
export function traceFields(): object {
  const ids = tracing?.current()?.spanContext();
  return ids ? { trace_id: ids.traceId, span_id: ids.spanId } : {};
}
