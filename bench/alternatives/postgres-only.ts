import { Logger, run, runMigrations } from 'graphile-worker';
import { createLogger } from '../../src/process/log.ts';
import { completion } from './changes.ts';
import { createEngine, type Engine, type EngineDeps } from './engine.ts';
import { carryOut, statements, verifyPayment } from './schema.ts';
import { sendWebhook } from './webhook.ts';

const VERIFY = 'verify';
const WEBHOOK = 'webhook';
const VERIFY_JOB = `graphile_worker.add_job('${VERIFY}', json_build_object('orderId', o.id))`;
/** The webhooks of an order share a queue, so that they arrive in sequence. */
const WEBHOOK_JOB = `case when o.callback_url is not null then graphile_worker.add_job(
  '${WEBHOOK}', json_build_object('url', o.callback_url, 'orderId', o.id, 'status', o.status), queue_name := 'order-' || o.id
) end`;
/** One transaction commits a change and its jobs. */
const CHANGES_WITH_JOBS = statements((change) => ({
  also: change === 'settle' ? `row(${VERIFY_JOB}, ${WEBHOOK_JOB})::text` : `(${WEBHOOK_JOB})::text`,
}));

/**
 * PostgreSQL only: the handler changes the row itself. The work after a settlement is a job in a queue of the same
 * database, and a notification wakes its worker.
 */
export async function createPostgresOnly({ pool }: EngineDeps): Promise<Engine> {
  const options = { pgPool: pool, logger: warningsOnly() };
  await runMigrations(options);
  // The job of a killed worker stays locked for hours. No other worker exists, so all locks are stale.
  await pool.query(
    'select graphile_worker.force_unlock_workers(array(select locked_by from graphile_worker.jobs where locked_by is not null))',
  );
  const runner = await run({
    ...options,
    concurrency: 10,
    noHandleSignals: true,
    crontab: '',
    taskList: {
      // graphile-worker retries a failed job with exponential backoff.
      [VERIFY]: async (payload) => {
        const { orderId } = payload as { orderId: number };
        await verifyPayment(pool, orderId);
        await carryOut(pool, orderId, completion(orderId), CHANGES_WITH_JOBS);
      },
      [WEBHOOK]: async (payload) => {
        const { url, orderId, status } = payload as { url: string; orderId: number; status: string };
        await sendWebhook(url, orderId, status);
      },
    },
  });
  runner.promise.catch((error) => {
    console.error('the job queue failed:', error);
    process.exit(1);
  });
  return createEngine(pool, {
    begin: async () => undefined,
    carryOut: (orderId, request) => carryOut(pool, orderId, request, CHANGES_WITH_JOBS),
    close: () => runner.stop(),
  });
}

function warningsOnly(): Logger {
  const log = createLogger('warn');
  return new Logger(() => (level, message) => log[level === 'warning' ? 'warn' : level](message));
}
