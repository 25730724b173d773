/**
 * Links work to its traces by W3C traceparents. `trace` names the span that requested the work, and `origin` the span that
 * created the order. Signals and activities carry both, and no decision depends on them. With tracing off, both are
 * undefined and add nothing to a history.
 */
export interface TraceContext {
  trace?: string | undefined;
  origin?: string | undefined;
}
