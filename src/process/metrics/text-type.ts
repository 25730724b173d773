import { Registry } from '@prometheus-io/client';

/** The media type of the text in which processes expose their metrics. */
export const METRICS_TEXT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;
