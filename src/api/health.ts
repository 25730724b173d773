import { aliveResponse, readyResponse } from '../contract/health.ts';
import { anyProcess } from '../db/queries/process-presence.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** `GET /healthz`: the process lives. `GET /readyz`: everything that an order needs is there. */
export const healthRoutes = ({ db, gateway }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/healthz',
    auth: 'none',
    summary: 'Whether the process lives',
    answers: { 200: aliveResponse },
    refuses: [],
    standsAlone: true,
    handle: async () => ({ status: 200, body: { ok: true } }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    auth: 'none',
    summary: 'Whether API, database, Temporal and a worker are all there',
    answers: { 200: readyResponse, 503: readyResponse },
    refuses: [],
    standsAlone: true,
    handle: async ({ log }) => {
      const check = (name: string, work: Promise<boolean>) =>
        work.catch((error) => {
          log.warn({ err: error, check: name }, 'not ready');
          return false;
        });
      const [database, temporal, worker] = await Promise.all([
        check(
          'database',
          db.query('ready', 'select 1 from orders limit 1', []).then(() => true),
        ),
        check('temporal', gateway.isReachable()),
        check(
          'worker',
          anyProcess(db, 'worker').then((there) => there && gateway.hasWorker()),
        ),
      ]);
      const ready = database && temporal && worker;
      return { status: ready ? 200 : 503, body: { ready, api: true, database, temporal, worker } };
    },
  }),
];
