import { Logger, run, runMigrations } from 'graphile-worker';
import { createLogger } from '../../src/log.ts';
import { completion } from './changes.ts';
import { type Engine, engineOf, type Surroundings } from './engine.ts';
import { carryOut, statementOf, verifyPayment } from './schema.ts';

const VERIFY = 'verify';
/** The settlement and the job that verifies it are one transaction. */
const SETTLE = statementOf(
  'settle',
  `graphile_worker.add_job('${VERIFY}', json_build_object('orderId', o.id))`,
);

/**
 * PostgreSQL and nothing else: the handler changes the row itself, and what is left to do after a settlement is a job
 * in a queue of the same database, whose worker is woken by a notification.
 */
export async function createPostgresOnly({ pool }: Surroundings): Promise<Engine> {
  const options = { pgPool: pool, logger: warningsOnly() };
  await runMigrations(options);
  // A job that a killed worker had in hand is locked for hours, unless it is given up for dead. There is no other worker.
  await pool.query(
    'select graphile_worker.force_unlock_workers(array(select locked_by from graphile_worker.jobs where locked_by is not null))',
  );
  const runner = await run({
    ...options,
    concurrency: 10,
    noHandleSignals: true,
    crontab: '',
    taskList: {
      // What fails is tried again, each time after longer.
      [VERIFY]: async (payload) => {
        const { orderId } = payload as { orderId: number };
        await verifyPayment(pool, orderId);
        await carryOut(pool, orderId, completion(orderId));
      },
    },
  });
  runner.promise.catch((error) => {
    console.error('the job queue failed:', error);
    process.exit(1);
  });
  return engineOf(pool, {
    begin: async () => undefined,
    carryOut: (orderId, request) =>
      request.change === 'settle'
        ? carryOut(pool, orderId, request, SETTLE)
        : carryOut(pool, orderId, request),
    close: () => runner.stop(),
  });
}

function warningsOnly(): Logger {
  const log = createLogger('warn');
  return new Logger(() => (level, message) => log[level === 'warning' ? 'warn' : level](message));
}
