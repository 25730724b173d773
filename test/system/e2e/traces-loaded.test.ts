import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../src/process/free-port.ts';
import { ADMIN_KEY, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import { startTraceReceiver, type TraceReceiver } from '../../support/trace-receiver.ts';

let receiver: TraceReceiver;
let databaseUrl: string;
const namespace = `loaded-${randomBytes(4).toString('hex')}`;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  receiver = await startTraceReceiver();
});
afterAll(() => receiver.close());

/** Returns the modules that a ready Corridor has loaded. */
async function loadedWith(env: Record<string, string>): Promise<string[]> {
  const corridor = run('--import', ['./test/support/loaded-modules.ts', 'src/main.ts', 'all'], {
    ...databaseSettings(databaseUrl),
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: namespace,
    PORT: String(await freePort()),
    ADMIN_API_KEY: ADMIN_KEY,
    WEBHOOK_SECRET,
    ...env,
  });
  try {
    await corridor.prints('corridor: ready');
    corridor.kill('SIGUSR2');
    const line = await eventually(async () => /^loaded (.*)\n/m.exec(corridor.stderr())?.[1]);
    return JSON.parse(line);
  } finally {
    corridor.kill('SIGTERM');
    await corridor.ended;
  }
}

// The metrics package loads the OpenTelemetry API, which has no effect without the SDK.
const ofTraces = (modules: string[]) =>
  modules.filter((url) => /@opentelemetry\/(?!api\/)|src\/tracing\/opentelemetry/.test(url));

test('without an endpoint, Corridor loads nothing of the SDK', async () => {
  const without = await loadedWith({});
  expect(without.some((url) => url.endsWith('/src/api/app.ts'))).toBe(true);
  expect(ofTraces(without)).toEqual([]);
});

test('with an endpoint, Corridor loads the SDK', async () => {
  const packages = ['sdk-trace', 'exporter-trace-otlp-http', 'context-async-hooks', 'resources'];
  const loaded = ofTraces(await loadedWith({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }));
  for (const name of packages)
    expect(loaded.some((url) => url.includes(`@opentelemetry/${name}/`))).toBe(true);
});
