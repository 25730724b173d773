/**
 * Where something that is done belongs in the traces: W3C traceparents, of the span that asked for it, and of the one
 * that created the order. They travel with signals and to activities, decide nothing, and are left out where no traces
 * are taken, so that histories carry nothing for them.
 */
export interface Traced {
  trace?: string;
  origin?: string;
}
