import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { ERROR_CODES } from './errors.ts';

/** An HTTP request that has been answered. */
export interface AnsweredRequest {
  method: string;
  /** The route's path pattern; undefined: no route matches. */
  route: string | undefined;
  status: number;
  /** The error code; empty: the request was not refused. */
  code: string;
  /** The caller had `ADMIN_API_KEY`, or a session that it has opened. */
  isRoot: boolean;
  seconds: number;
}

export interface RequestMetrics {
  began: () => void;
  answered: (request: AnsweredRequest) => void;
}

/** OpenTelemetry's buckets for this metric. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Callers can invent methods, so others share one label. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);
const OTHER_METHOD = '_OTHER';
/** Paths that no route serves share one label. */
const NO_ROUTE = 'none';

/** Requests, under OpenTelemetry's names, and refusals by code. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests in progress',
    registers,
  });
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Duration of requests',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'corridor_refusals_total',
    help: 'Refused requests by error code',
    labelNames: ['code'],
    registers,
  });
  const root = new Counter({
    name: 'corridor_root_requests_total',
    help: 'Requests with the key of the settings (`ADMIN_API_KEY`), which belongs to no person',
    registers,
  });
  // Prometheus computes a rate only from a value before the first event.
  for (const code of ERROR_CODES) refusals.inc({ code }, 0);
  return {
    began: () => active.inc(),
    answered: ({ method, route, status, code, isRoot, seconds }) => {
      active.dec();
      duration.observe(
        {
          http_request_method: METHODS.has(method) ? method : OTHER_METHOD,
          http_route: route ?? NO_ROUTE,
          http_response_status_code: status,
        },
        seconds,
      );
      if (code !== '') refusals.inc({ code });
      if (isRoot) root.inc();
    },
  };
}
