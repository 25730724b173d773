import type { RequestListener } from 'node:http';
import { type RunningServer, startServer } from '../http/http-server.ts';
import { type Metrics, TEXT_FORMAT } from './metrics.ts';

const PATH = '/metrics';

/** Serves `GET /metrics` without a key: anyone who reaches this port may read it. */
export function startMetricsServer(
  metrics: Metrics,
  { host, port }: { host: string; port: number },
): Promise<RunningServer> {
  const handler: RequestListener = async ({ method, url }, response) => {
    if (url?.split('?')[0] !== PATH) return void response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') {
      return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    }
    const text = await metrics.text();
    response.writeHead(200, { 'content-type': TEXT_FORMAT }).end(method === 'HEAD' ? undefined : text);
  };
  return startServer(handler, host, port);
}
