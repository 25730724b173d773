import { METRICS_TEXT_TYPE } from '../../../process/metrics/text-type.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';

/** `GET /metrics`: the same text as on METRICS_PORT, for clients that reach only the API's port. */
export const metricsRoutes = ({ metrics }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/metrics',
    auth: 'admin',
    summary: 'Read the metrics, for Prometheus',
    description:
      'The Prometheus text format. METRICS_PORT of the same process serves the same text without a key. See docs/observability.md.',
    answers: { 200: { textType: 'text/plain' } },
    refuses: [],
    handle: async () => ({ status: 200, text: { content: await metrics.text(), type: METRICS_TEXT_TYPE } }),
  }),
];
