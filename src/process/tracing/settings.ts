/** The values of `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** The endpoint for traces, and the service's name in them. */
export interface TraceSettings {
  /** The complete URL, for OTLP over HTTP. */
  url: string;
  serviceName: string;
  sampler: (typeof SAMPLERS)[number];
  /** The part of all traces that a ratio sampler records, 0 to 1. */
  samplingRatio: number;
}
