import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { forgetProcess, noteProcess, type Part } from '../db/queries/process-presence.ts';

const EVERY_MS = 3_000;

/** Says in the database that this process carries a part of the service, until it is told to stop. */
export async function announcePresence(
  db: Database,
  part: Part,
  log: Logger,
): Promise<{ withdraw: () => Promise<void> }> {
  const id = randomUUID();
  const note = () =>
    noteProcess(db, id, part).catch((error) => log.warn({ err: error, part }, 'the presence was not noted'));
  await note();
  const timer = setInterval(note, EVERY_MS);
  return {
    withdraw: async () => {
      clearInterval(timer);
      await forgetProcess(db, id).catch((error) =>
        log.warn({ err: error, part }, 'the presence was not withdrawn'),
      );
    },
  };
}
