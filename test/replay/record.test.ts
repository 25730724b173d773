import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { test } from '@jest/globals';
import { newAgent } from '../support/actors.ts';
import { startCorridor } from '../support/corridor.ts';
import { testEnvironment } from '../support/environment.ts';
import { PATHS } from './paths.ts';

/**
 * Takes every path and keeps what Temporal has recorded of it: `npm run record:histories`. For a change of the workflow
 * that old histories do not allow, which then needs a patch (`patched()`), or for a new path; never to make a red replay green.
 */
const record = process.env.RECORD_HISTORIES ? test : test.skip;

record.each(Object.entries(PATHS))(
  'the history of an order that is %s is recorded',
  async (name, { env = {}, take }) => {
    const corridor = await startCorridor({ env });
    try {
      const id = await take(corridor, await newAgent(corridor));
      const { temporalBinary, temporalAddress } = testEnvironment();
      const where = ['--address', temporalAddress, '--namespace', corridor.config.temporalNamespace];
      const show = ['workflow', 'show', '--workflow-id', `order-${id}`, '-o', 'json', ...where];
      const { stdout } = await promisify(execFile)(temporalBinary, show, { maxBuffer: 50_000_000 });
      await writeFile(
        new URL(`./histories/${name}.json`, import.meta.url),
        `${JSON.stringify(JSON.parse(stdout), anonymous)}\n`,
      );
    } finally {
      await corridor.stop();
    }
  },
);

/** Names of machines and processes are nobody's business, and differ each time. */
const anonymous = (key: string, value: unknown) =>
  key === 'identity' || (typeof value === 'string' && /^\d+@/.test(value)) ? 'recorded' : value;
