import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { contractTypes } from '../../client/generate/contract.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

test('the client’s types are those of the service’s schemas', async () => {
  const committed = readFileSync(join(ROOT, 'client/src/contract.ts'), 'utf8');
  expect(await contractTypes()).toBe(committed);
});

test('the built package is found by its name, with its types, and needs no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'corridor-client-'));
  try {
    const installed = join(folder, 'node_modules/corridor-client');
    const tsc = join(ROOT, 'node_modules/.bin/tsc');
    await run(tsc, ['-p', 'client', '--outDir', join(installed, 'dist')], { cwd: ROOT });
    cpSync(join(ROOT, 'client/package.json'), join(installed, 'package.json'));
    const program = `import { createAgentClient, verifyWebhook } from 'corridor-client';
      console.log(typeof createAgentClient, typeof verifyWebhook);`;
    const args = ['--input-type=module', '--eval', program];
    const { stdout } = await run(process.execPath, args, { cwd: folder });
    expect(stdout).toBe('function function\n');

    const types = (statement: string) => {
      const file = join(folder, 'user.mts');
      writeFileSync(file, `import { createAgentClient } from 'corridor-client';\n${statement}`);
      const options = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', ''];
      return run(tsc, [...options, file], { cwd: folder });
    };
    const client = `createAgentClient({ baseUrl: 'https://pay.example', key: 'rk_live_x' })`;
    await types(`const view: { order_id: number } = await ${client}.status(1);\nvoid view;`);
    await expect(types(`await ${client}.status('one');`)).rejects.toMatchObject({
      stdout: expect.stringContaining(
        `Argument of type 'string' is not assignable to parameter of type 'number'`,
      ),
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
