import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { createCaller } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { type Authority, newAuthority } from '../../support/certificates.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { type SecuredTemporal, type Security, startSecuredTemporal } from '../../support/secured-temporal.ts';

/** The start of an API whose Temporal is away, refuses it, or lacks what Corridor needs. */
let database: Record<string, string>;
let authority: Authority;
const started: SecuredTemporal[] = [];
beforeAll(async () => {
  database = databaseSettings(await freshDatabase());
  authority = await newAuthority();
});
afterAll(() => Promise.all(started.map(({ stop }) => stop())));

const secured = async (security: Partial<Security>) => {
  const one = await startSecuredTemporal({ server: await authority.issue('localhost'), ...security });
  started.push(one);
  return one.address;
};
const newName = () => `api-${randomBytes(4).toString('hex')}`;
const settings = (address: string, env: Record<string, string>) => ({
  ...database,
  ...{ TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: newName(), SANDBOX: 'true' },
  ...env,
});

/** Starts an API, which must refuse to start, and returns its line. */
async function refusal(address: string, env: Record<string, string>): Promise<string> {
  const api = run('src/main.ts', ['api'], { ...settings(address, env), PORT: String(await freePort()) });
  expect(await api.ends()).toBe(1);
  expect(api.stderr()).not.toMatch(/\n\s+at /);
  return api.stderr();
}

/** Starts an API, which must start, and ends it after the check. `status` is that of `GET /readyz`. */
async function withApi(
  env: Record<string, string>,
  check: (api: { process: TestProcess; status: () => Promise<number> }) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const process = run('src/main.ts', ['api'], { ...env, PORT: String(port) });
  const call = createCaller(`http://127.0.0.1:${port}`);
  try {
    await process.prints('is running');
    expect((await call('GET', '/healthz')).status).toBe(200);
    await check({ process, status: async () => (await call('GET', '/readyz')).status });
  } finally {
    process.kill('SIGTERM');
    await process.ended;
  }
}

test('an API starts while Temporal is unreachable, and is not ready', async () =>
  withApi(settings(`127.0.0.1:${await freePort()}`, {}), async ({ process, status }) => {
    expect(await status()).toBe(503);
    expect(process.stdout()).toContain('Temporal cannot be used yet');
  }));

test('an API starts before the namespace that a worker or `migrate` creates, and is ready then', async () => {
  const env = settings(testEnvironment().temporalAddress, {});
  await withApi(env, async ({ process, status }) => {
    expect(await status()).toBe(503);
    expect(process.stdout()).toContain('Temporal cannot be used yet');
    const worker = run('src/main.ts', ['worker'], env);
    await worker.prints('is running');
    await eventuallyEquals(status, 200);
    worker.kill('SIGTERM');
    await worker.ended;
  });
});

test('a namespace that its owner must create is named, with the commands', async () => {
  const said = await refusal(testEnvironment().temporalAddress, { TEMPORAL_MANAGE_NAMESPACE: 'false' });
  expect(said).toMatch(
    /^corridor: Temporal has no namespace api-\w+\. Create it and its search attributes:$/m,
  );
  expect(said).toMatch(/temporal operator namespace create --namespace api-\w+ --retention 7d/);
});

test('missing search attributes that its owner must create are named, with the commands', async () => {
  const { temporalAddress: address } = testEnvironment();
  const namespace = newName();
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    ...{ namespace, workflowExecutionRetentionPeriod: msToTs('7 days') },
  });
  await eventuallyEquals(
    () =>
      connection.workflowService.describeNamespace({ namespace }).then(
        () => true,
        () => false,
      ),
    true,
  );
  await connection.close();
  const said = await refusal(address, { TEMPORAL_NAMESPACE: namespace, TEMPORAL_MANAGE_NAMESPACE: 'false' });
  expect(said).toMatch(/^corridor: The namespace api-\w+ lacks the search attributes OrderStatus, /m);
});

test('a refused key ends the start with one line', async () => {
  const address = await secured({ apiKey: 'the-right-key' });
  const said = await refusal(address, {
    ...{ TEMPORAL_API_KEY: 'a-wrong-key', TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert },
  });
  expect(said).toMatch(/refuses Corridor's key or certificate \(.*Request unauthorized/);
  expect(said).not.toMatch(/a-wrong-key/);
});

test('a server that expects TLS ends the start with one line', async () =>
  expect(await refusal(await secured({}), {})).toMatch(/expects TLS: set TEMPORAL_TLS=true/));
