import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Database } from '../db/orm.ts';
import { forgetWorker, noteWorker } from '../db/queries/worker-presence.ts';

const EVERY_MS = 3_000;

/** Says in the database that this worker is there, until it is told to stop. */
export async function announcePresence(
  db: Database,
  log: Logger,
): Promise<{ withdraw: () => Promise<void> }> {
  const id = randomUUID();
  const note = () =>
    noteWorker(db, id).catch((error) => log.warn({ err: error }, 'the presence was not noted'));
  await note();
  const timer = setInterval(note, EVERY_MS);
  return {
    withdraw: async () => {
      clearInterval(timer);
      await forgetWorker(db, id).catch((error) => log.warn({ err: error }, 'the presence was not withdrawn'));
    },
  };
}
