import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import { ERROR_CODES } from '../domain/errors.ts';

/** An HTTP request that has been answered. */
export interface AnsweredRequest {
  method: string;
  /** The path in the router's form; undefined where no route serves it. */
  route: string | undefined;
  status: number;
  /** The refusal's name; empty where it is none. */
  code: string;
  seconds: number;
}

export interface RequestMetrics {
  began: () => void;
  answered: (request: AnsweredRequest) => void;
}

/** Those of OpenTelemetry for this metric. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
/** Methods are the caller's to name. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'CONNECT', 'TRACE']);
const OTHER_METHOD = '_OTHER';
/** All paths that no route serves are one. */
const NO_ROUTE = 'none';

/** Requests by the names of OpenTelemetry, and what they were refused for. */
export function createRequestMetrics(registry: Registry): RequestMetrics {
  const registers = [registry];
  const active = new Gauge({
    name: 'http_server_active_requests',
    help: 'Requests that are being answered',
    registers,
  });
  const duration = new Histogram({
    name: 'http_server_request_duration_seconds',
    help: 'Time to answer requests',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: BUCKETS,
    registers,
  });
  const refusals = new Counter({
    name: 'corridor_refusals_total',
    help: 'Requests that were refused, by the code of the refusal',
    labelNames: ['code'],
    registers,
  });
  // A rate needs a value before the first event.
  for (const code of ERROR_CODES) refusals.inc({ code }, 0);
  return {
    began: () => active.inc(),
    answered: ({ method, route, status, code, seconds }) => {
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
    },
  };
}
