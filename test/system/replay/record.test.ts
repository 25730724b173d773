import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { fileOf, type History, landmarksOf, RECORDED } from '../../replay/landmarks.ts';
import { PATHS } from '../../replay/paths.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';

/**
 * Takes each path that has no history yet and saves the history from Temporal: `npm run record:histories`. It never
 * overwrites a file, so that a failing replay cannot be hidden by recording the history again.
 */
for (const [name, { env = {}, take, last }] of Object.entries(PATHS)) {
  const record = process.env.RECORD_HISTORIES && !RECORDED.includes(name) ? test : test.skip;
  record(`records the history of the path ${name}`, async () => {
    const corridor = await startCorridor({ env });
    try {
      const id = await take(corridor, await corridor.newAgent());
      // The database answers the client before the history is complete.
      const history = await eventually(async () => {
        const read = await historyInTemporal(corridor, id);
        return landmarksOf(read).at(-1)?.step === last && read;
      });
      await writeFile(fileOf(name), `${JSON.stringify(history, anonymous)}\n`, { flag: 'wx' });
    } finally {
      await corridor.stop();
    }
  });
}

async function historyInTemporal({ config }: TestCorridor, orderId: number): Promise<History> {
  const { temporalBinary, temporalAddress } = testEnvironment();
  const where = ['--address', temporalAddress, '--namespace', config.temporalNamespace];
  const show = ['workflow', 'show', '--workflow-id', `order-${orderId}`, '-o', 'json', ...where];
  return JSON.parse((await promisify(execFile)(temporalBinary, show, { maxBuffer: 50_000_000 })).stdout);
}

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));

/** Removes the names of machines and processes, and the project's path in stack traces: they differ on each machine. */
function anonymous(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return key === 'identity' || /^\d+@/.test(value) ? 'recorded' : value.replaceAll(PROJECT, '/corridor/');
}
