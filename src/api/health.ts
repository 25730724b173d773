import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';

/** `GET /healthz`: the process lives. `GET /readyz`: everything that an order needs is there. */
export const healthRoutes = ({ db, gateway }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/healthz',
    auth: 'none',
    handle: async () => ({ status: 200, body: { ok: true } }),
  }),
  route({
    method: 'get',
    path: '/readyz',
    auth: 'none',
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
        check('worker', gateway.hasWorker()),
      ]);
      const ready = database && temporal && worker;
      return { status: ready ? 200 : 503, body: { ready, api: true, database, temporal, worker } };
    },
  }),
];
