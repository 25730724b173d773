/** The values of `OTEL_TRACES_SAMPLER`. */
export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Where traces go, and what this service is called there. */
export interface TraceSettings {
  /** Takes OTLP over HTTP: the whole address. */
  url: string;
  serviceName: string;
  sampler: (typeof SAMPLERS)[number];
  /** The share of the traces that a sampler by ratio takes, 0 to 1. */
  sampledShare: number;
}
