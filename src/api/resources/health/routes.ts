import type { Pause } from '../../../db/entities/pause.ts';
import { findOpenIncidents, scopeOf } from '../../../db/incidents.ts';
import { findPauses } from '../../../db/pauses.ts';
import { anyProcess } from '../../../db/process-heartbeats.ts';
import { onceASecond } from '../../../process/remembered.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { aliveResponse, type PausedSummary, type Readiness, readyResponse } from './schemas.ts';

/** `GET /healthz`: the process responds. `GET /readyz`: everything that an order needs is available. */
export function healthRoutes(deps: ApiDeps): Route[] {
  // Anybody may ask, and each check costs three statements and a call of Temporal.
  const check = onceASecond(() => checkReadiness(deps));
  return [
    route({
      method: 'get',
      path: '/healthz',
      auth: 'none',
      summary: 'Check that the process responds',
      answers: { 200: aliveResponse },
      refuses: [],
      standsAlone: true,
      isHealthCheck: true,
      handle: async () => ({ status: 200, body: { ok: true } }),
    }),
    route({
      method: 'get',
      path: '/readyz',
      auth: 'none',
      summary: 'Check that the API, the database, Temporal and a worker are available',
      description: 'All callers within a second share one check.',
      answers: { 200: readyResponse, 503: readyResponse },
      refuses: [],
      standsAlone: true,
      isHealthCheck: true,
      handle: async () => {
        const body = await check();
        return { status: body.ready ? 200 : 503, body };
      },
    }),
  ];
}

async function checkReadiness({ db, gateway, log }: ApiDeps): Promise<Readiness> {
  const check = (name: string, work: Promise<boolean>) =>
    work.catch((error) => {
      log.warn({ err: error, check: name }, 'not ready');
      return false;
    });
  let paused: PausedSummary | null = null;
  let incidents: Readiness['incidents'] = null;
  const [database, temporal, worker] = await Promise.all([
    check('database', readStops()),
    check('temporal', gateway.isReachable()),
    check(
      'worker',
      anyProcess(db, 'worker').then((there) => there && gateway.hasWorker()),
    ),
  ]);
  return { ready: database && temporal && worker, api: true, database, temporal, worker, paused, incidents };

  async function readStops(): Promise<true> {
    await db.query('ready', 'select 1 from orders limit 1', []);
    paused = pausedSummary(await findPauses(db));
    incidents = (await findOpenIncidents(db)).map(({ opened_at, ...incident }) => ({
      ...scopeOf(incident),
      opened_at: new Date(opened_at).toISOString(),
    }));
    return true;
  }
}

/** Omits the ids of agent keys and the reasons, because everybody may read it. */
function pausedSummary(pauses: Pause[]): PausedSummary {
  const isOfAll = ({ currency, agent_key_id }: Pause) => currency === null && agent_key_id === null;
  return {
    all: pauses.some(isOfAll),
    currencies: pauses.flatMap(({ currency, agent_key_id }) => (agent_key_id === null && currency) || []),
    agents: new Set(pauses.flatMap(({ agent_key_id }) => agent_key_id ?? [])).size,
  };
}
