import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RunningServer, startServer } from '../../http/http-server.ts';
import { METRICS_TEXT_TYPE } from '../../process/metrics/text-type.ts';
import type { Metrics } from './metrics.ts';

interface Content {
  type: string;
  text: string;
}

/**
 * Serves `GET /metrics` without a key: anyone who reaches this port may read it. `GET /healthz` says that the process
 * responds. A supervisor must not ask `/metrics` for that: the peaks of the event loop are those since the last answer.
 */
export function startMetricsServer(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const contents: Record<string, () => Promise<Content>> = {
    '/metrics': async () => ({ type: METRICS_TEXT_TYPE, text: await metrics.text() }),
    '/healthz': async () => ({ type: 'application/json', text: '{"ok":true}' }),
  };
  const answer = async ({ method, url = '' }: IncomingMessage, response: ServerResponse) => {
    const content = contents[url.split('?')[0] as string];
    if (!content) return response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405, { allow: 'GET, HEAD' }).end();
    const { type, text } = await content();
    response.writeHead(200, { 'content-type': type }).end(method === 'HEAD' ? undefined : text);
  };
  return startServer((request, response) => void answer(request, response), host, port);
}
