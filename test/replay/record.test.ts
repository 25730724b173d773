import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { newAgent } from '../support/actors.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import { fileOf, type History, landmarksOf, RECORDED } from './landmarks.ts';
import { PATHS } from './paths.ts';

/**
 * Takes each path that has no history yet, and keeps what Temporal has recorded of it: `npm run record:histories`. For a
 * new path; never to make a red replay green, so that what is there is never written over.
 */
for (const [name, { env = {}, take, last }] of Object.entries(PATHS)) {
  const record = process.env.RECORD_HISTORIES && !RECORDED.includes(name) ? test : test.skip;
  record(`the history of an order that is ${name} is recorded`, async () => {
    const corridor = await startCorridor({ env });
    try {
      const id = await take(corridor, await newAgent(corridor));
      // Whoever asked has been answered from the database: the history follows.
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

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));

/** Names of machines and processes are nobody's business, and differ each time; so does where the code lies, in stack traces. */
function anonymous(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  return key === 'identity' || /^\d+@/.test(value) ? 'recorded' : value.replaceAll(PROJECT, '/corridor/');
}
