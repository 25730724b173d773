import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../src/process/free-port.ts';
import { startTemporal } from '../../../src/service/embedded/temporal.ts';
import { findTemporal } from '../../../src/service/embedded/temporal-binary.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-port-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * The real server, after a number of starts that fail as if another program had taken one of its ports after the check
 * that the port is free.
 */
async function unluckyServer(unluckyStarts: number): Promise<string> {
  const signal = AbortSignal.timeout(600_000);
  const real = await findTemporal({ env: process.env, progress: () => undefined, signal });
  const [script, starts] = [join(folder, 'temporal.sh'), join(folder, 'starts')];
  await writeFile(starts, '');
  await writeFile(
    script,
    `#!/bin/sh
echo start >> '${starts}'
if [ "$(wc -l < '${starts}')" -gt ${unluckyStarts} ]; then exec '${real}' "$@"; fi
while [ "$1" != --port ]; do shift; done
'${process.execPath}' -e "require('net').createServer().listen($2, '127.0.0.1'); setTimeout(process.exit, 500)"
echo 'Failed to start gRPC listener: listen tcp 127.0.0.1:7233: bind: address already in use'
echo 'panic: invalid memory address'
for line in $(seq 40); do echo "  at some place in the server, $line"; done
exit 2
`,
  );
  await chmod(script, 0o755);
  return script;
}
const startsMade = async () => (await readFile(join(folder, 'starts'), 'utf8')).trim().split('\n').length;
const start = async (binary: string, file: string) =>
  startTemporal({ binary, file: join(folder, file), uiPort: await freePort(), synchronous: 'off' });

test('a start that loses a race for a port is retried', async () => {
  const server = await start(await unluckyServer(1), 'raced.sqlite');
  expect(server.address).toMatch(/^127\.0\.0\.1:\d+$/);
  await server.stop();
  expect(await startsMade()).toBe(2);
});

test('if every retry fails, the error contains the server’s last output', async () => {
  await expect(start(await unluckyServer(1_000), 'never.sqlite')).rejects.toThrow(
    /The Temporal server did not start: it ended \(2\)\n[\s\S]*at some place in the server, 40$/,
  );
  expect(await startsMade()).toBe(5);
});
