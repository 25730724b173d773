import { TEXT_FORMAT } from '../metrics/metrics.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** `GET /metrics`: what the port of the metrics tells, for whoever reaches this one alone. */
export const metricsRoutes = ({ metrics }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/metrics',
    auth: 'admin',
    summary: 'Read the metrics, for Prometheus',
    description:
      'The text format of Prometheus: what METRICS_PORT of the same process tells without a key. See docs/observability.md.',
    answers: { 200: { textType: 'text/plain' } },
    refuses: [],
    handle: async () => ({ status: 200, text: { content: await metrics.text(), type: TEXT_FORMAT } }),
  }),
];
