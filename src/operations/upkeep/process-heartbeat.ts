import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../../db/orm.ts';
import { forgetProcess, HEARTBEAT_EVERY_MS, noteProcess, type Part } from '../../db/process-heartbeats.ts';

/** Records in the database, every second until `withdraw`, that this process runs a part of the service. */
export async function startProcessHeartbeat(
  db: Database,
  part: Part,
  log: Logger,
): Promise<{ withdraw: () => Promise<void> }> {
  const id = randomUUID();
  const record = () =>
    noteProcess(db, id, part).catch((error) =>
      log.warn({ err: error, part }, 'the process heartbeat was not recorded'),
    );
  await record();
  const timer = setInterval(record, HEARTBEAT_EVERY_MS);
  return {
    withdraw: async () => {
      clearInterval(timer);
      await forgetProcess(db, id).catch((error) =>
        log.warn({ err: error, part }, 'the process heartbeat was not withdrawn'),
      );
    },
  };
}
