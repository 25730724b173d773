import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import proto from '@temporalio/proto';
import { type Answer, expectStatus } from '../../../dev/http-client.ts';
import { createLogger } from '../../../src/process/log.ts';
import { createOrderGateway } from '../../../src/temporal/gateway.ts';
import { newAgent, newLp, payment, statusOf } from '../../support/actors.ts';
import { type Authority, type Certified, newAuthority } from '../../support/certificates.ts';
import { startCorridor } from '../../support/corridor.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import { claim, confirm, fiatSent, newOrder, settle } from '../../support/repeated-steps.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { type SecuredTemporal, type Security, startSecuredTemporal } from '../../support/secured-temporal.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;

/** Temporal's own names for certificates, keys and profiles, against a real server behind TLS. */
const HOST = 'localhost';
let folder: string;
let authority: Authority;
let server: Certified;
let worker: Certified;
const started: SecuredTemporal[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-tls-'));
  authority = await newAuthority();
  server = await authority.issue(HOST);
  worker = await authority.issue('corridor');
});
afterAll(async () => {
  await Promise.all(started.map(({ stop }) => stop()));
  await rm(folder, { recursive: true });
});

const secured = async (security: Partial<Security> = {}) => {
  const one = await startSecuredTemporal({ server, ...security });
  started.push(one);
  return one;
};
async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, content);
  return path;
}

/** Moves an order from its payment to `completed`. After a change, the worker needs a moment to connect again. */
async function completeOrder(corridor: Awaited<ReturnType<typeof startCorridor>>): Promise<void> {
  const [agent, lp] = [await newAgent(corridor), await newLp(corridor)];
  const id = await newOrder(agent);
  const carryOut = (call: () => Promise<Answer>) => expectStatus(200, retryWhile503(call));
  await carryOut(() => claim(lp, id));
  await carryOut(() => fiatSent(lp, id));
  await carryOut(() => confirm(agent, id));
  const hash = await payment(corridor, agent, id);
  await carryOut(() => settle(agent, id, hash));
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
}

/** Runs `migrate` against it, and returns what it prints before it gives up. */
async function refusal(address: string, env: Record<string, string>): Promise<string> {
  const migrating = run('src/main.ts', ['migrate'], {
    ...databaseSettings(await freshDatabase()),
    ...{
      TEMPORAL_ADDRESS: address,
      TEMPORAL_NAMESPACE: `refused-${randomBytes(4).toString('hex')}`,
      SANDBOX: 'true',
    },
    ...env,
  });
  expect(await migrating.ends()).toBe(1);
  return migrating.stderr();
}

test('with a client certificate, an order completes', async () => {
  const temporal = await secured({ clientAuthority: authority.cert });
  const corridor = await startCorridor({
    temporalAddress: temporal.address,
    env: {
      TEMPORAL_TLS_CLIENT_CERT_PATH: await file('client.pem', worker.cert),
      TEMPORAL_TLS_CLIENT_KEY_PATH: await file('client.key', worker.key),
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert,
    },
  });
  await completeOrder(corridor);
  await corridor.stop();
  expect(temporal.calls()).toContain(
    '/temporal.api.workflowservice.v1.WorkflowService/PollWorkflowTaskQueue',
  );
});

test('a server name that the certificate has can be given', async () => {
  const temporal = await secured({ server: await authority.issue('temporal.internal') });
  const log = createLogger('silent');
  const variables = {
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert,
    TEMPORAL_TLS_SERVER_NAME: 'temporal.internal',
  };
  const gateway = createOrderGateway({ address: temporal.address, variables, namespace: 'default', log });
  expect(await gateway.isReachable()).toBe(true);
  await gateway.close();
});

test.each<
  [string, () => Promise<{ security?: Partial<Security>; env?: Record<string, string>; says: RegExp }>]
>([
  ['no certificate', async () => ({ env: {}, says: /client certificate|certificate required/ })],
  [
    'a certificate of another authority',
    async () => {
      const stranger = await (await newAuthority('Stranger')).issue('corridor');
      return {
        env: { TEMPORAL_TLS_CLIENT_CERT_DATA: stranger.cert, TEMPORAL_TLS_CLIENT_KEY_DATA: stranger.key },
        says: /TLS with Temporal at \S+ failed/,
      };
    },
  ],
  [
    'an expired certificate',
    async () => {
      const expired = await authority.issue('corridor', { hasExpired: true });
      return {
        env: { TEMPORAL_TLS_CLIENT_CERT_DATA: expired.cert, TEMPORAL_TLS_CLIENT_KEY_DATA: expired.key },
        says: /the client certificate has expired on .*: renew TEMPORAL_TLS_CLIENT_CERT_/,
      };
    },
  ],
  [
    'an expired server',
    async () => ({
      security: { server: await authority.issue(HOST, { hasExpired: true }) },
      env: {},
      says: /TLS with Temporal at \S+ failed \(.*expired/,
    }),
  ],
  [
    'a server of another name',
    async () => ({
      security: { server: await authority.issue('elsewhere.example') },
      env: {},
      says: /altnames/,
    }),
  ],
])('%s: one line says what is wrong', async (_what, given) => {
  const { security, env, says } = await given();
  const temporal = await secured(security ?? { clientAuthority: authority.cert });
  const said = await refusal(temporal.address, { TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert, ...env });
  expect(said).toMatch(says);
  expect(said).toMatch(/TEMPORAL_TLS_… in docs\/settings\.md/);
  expect(said).not.toMatch(/\n\s+at /);
});

test('a server that expects TLS: the setting is named', async () => {
  const temporal = await secured();
  expect(await refusal(temporal.address, {})).toMatch(/expects TLS: set TEMPORAL_TLS=true/);
});

test('a wrong key is named at once', async () => {
  const temporal = await secured({ apiKey: 'the-right-key' });
  const said = await refusal(temporal.address, {
    TEMPORAL_API_KEY: 'a-wrong-key',
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert,
  });
  expect(said).toMatch(/refuses Corridor's key or certificate \(.*Request unauthorized/);
  expect(said).not.toMatch(/a-wrong-key/);
});

test('a managed Temporal that Corridor should fill: the setting that leaves it to its owner is named', async () => {
  const temporal = await secured({ apiKey: 'a-key', isManaged: true });
  const said = await refusal(temporal.address, {
    ...{ TEMPORAL_API_KEY: 'a-key', TEMPORAL_MANAGE_NAMESPACE: 'true' },
    TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert,
  });
  expect(said).toMatch(/does not let Corridor create .* Set TEMPORAL_MANAGE_NAMESPACE=false/);
});

test('a namespace without some search attributes: they are listed with their commands', async () => {
  const { temporalAddress: address } = testEnvironment();
  const namespace = `partial-${randomBytes(4).toString('hex')}`;
  const connection = await Connection.connect({ address });
  await connection.workflowService.registerNamespace({
    ...{ namespace, workflowExecutionRetentionPeriod: msToTs('7 days') },
  });
  const add = (name: string, type: 'INT' | 'KEYWORD') =>
    connection.operatorService.addSearchAttributes({
      ...{ namespace, searchAttributes: { [name]: IndexedValueType[`INDEXED_VALUE_TYPE_${type}`] } },
    });
  await eventually(() =>
    add('OrderStatus', 'KEYWORD').then(
      () => true,
      () => false,
    ),
  );
  await add('LpId', 'INT');
  await connection.close();
  const said = await refusal(address, { TEMPORAL_NAMESPACE: namespace, TEMPORAL_MANAGE_NAMESPACE: 'false' });
  expect(said).toMatch(
    /lacks the search attributes WaitingFor, DueAt, OrderVersion, Currency, or they have other types/,
  );
  expect(said).toMatch(
    /temporal operator search-attribute create --namespace partial-\w+ --name DueAt --type Datetime/,
  );
});

test('a managed Temporal: what is missing is listed with its commands, and then orders complete', async () => {
  const temporal = await secured({ apiKey: 'a-key', isManaged: true });
  const env = { TEMPORAL_API_KEY: 'a-key', TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert };
  const said = await refusal(temporal.address, env);
  expect(said).toMatch(/Temporal has no namespace refused-/);
  expect(said).toMatch(
    /temporal operator search-attribute create --namespace refused-\w+ --name OrderVersion --type Int/,
  );
  expect(said).toMatch(/tcld namespace search-attributes add .*--search-attribute DueAt=Datetime/);
  expect(temporal.calls().filter((path) => /Register|AddSearch/.test(path))).toEqual([]);

  // Its operator creates the namespace.
  const namespace = `managed-${randomBytes(4).toString('hex')}`;
  const operator = createOrderGateway({
    ...{ address: testEnvironment().temporalAddress, namespace, log: createLogger('silent') },
  });
  await operator.prepareNamespace(60_000);
  await operator.close();
  const corridor = await startCorridor({
    temporalAddress: temporal.address,
    env: { ...env, TEMPORAL_NAMESPACE: namespace },
  });
  await completeOrder(corridor);
  await corridor.stop();
});

test('renewed certificates of both sides, of another authority, are used without a restart', async () => {
  const temporal = await secured({ clientAuthority: authority.cert });
  const write = async (root: string, client: Certified) => ({
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: await file('renewed-ca.pem', root),
    TEMPORAL_TLS_CLIENT_CERT_PATH: await file('renewed.pem', client.cert),
    TEMPORAL_TLS_CLIENT_KEY_PATH: await file('renewed.key', client.key),
  });
  const env = { ...(await write(authority.cert, worker)), TEMPORAL_RELOAD_INTERVAL: '100ms' };
  const corridor = await startCorridor({ temporalAddress: temporal.address, env });
  await completeOrder(corridor);

  const renewed = await newAuthority('Renewed');
  const [atServer, atCorridor] = [await renewed.issue(HOST), await renewed.issue('corridor')];
  temporal.renew(atServer, renewed.cert);
  // Neither side trusts the other until the files are replaced.
  await eventuallyEquals(() => corridor.shared.gateway.isReachable(), false);
  const polls = () => temporal.calls().filter((path) => path.endsWith('/PollWorkflowTaskQueue')).length;
  const before = polls();
  await write(renewed.cert, atCorridor);
  await eventuallyEquals(() => corridor.shared.gateway.isReachable(), true);
  await completeOrder(corridor);
  expect(polls()).toBeGreaterThan(before);
  await corridor.stop();
});

test('a certificate that cannot be used is not used: the present connection stays, and the log says why', async () => {
  const temporal = await secured({ clientAuthority: authority.cert });
  const write = async ({ cert, key }: Certified) => ({
    TEMPORAL_TLS_CLIENT_CERT_PATH: await file('replaced.pem', cert),
    TEMPORAL_TLS_CLIENT_KEY_PATH: await file('replaced.key', key),
  });
  const log = join(folder, 'replaced.log');
  const corridor = await startCorridor({
    temporalAddress: temporal.address,
    env: {
      ...(await write(worker)),
      TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert,
      TEMPORAL_RELOAD_INTERVAL: '100ms',
      LOG_LEVEL: 'error',
    },
    logTo: createWriteStream(log) as unknown as NodeJS.WriteStream,
  });
  await write(await authority.issue('corridor', { hasExpired: true }));
  await eventually(async () =>
    (await readFile(log, 'utf8')).includes('TLS failed: the client certificate has expired on'),
  );
  expect(await corridor.shared.gateway.isReachable()).toBe(true);
  await completeOrder(corridor);
  await corridor.stop();
});

test('a new key in the configuration file is used without a restart', async () => {
  const temporal = await secured({ apiKey: 'first' });
  const ca = await file('ca.pem', authority.cert);
  const config = (key: string) =>
    file(
      'temporal.toml',
      `[profile.payments]\naddress = "${temporal.address}"\napi_key = "${key}"\n[profile.payments.tls]\nserver_ca_cert_path = "${ca}"\n`,
    );
  const corridor = await startCorridor({
    temporalAddress: temporal.address,
    env: {
      TEMPORAL_CONFIG_FILE: await config('first'),
      TEMPORAL_PROFILE: 'payments',
      TEMPORAL_MANAGE_NAMESPACE: 'true',
      TEMPORAL_RELOAD_INTERVAL: '100ms',
    },
  });
  await completeOrder(corridor);
  await config('second');
  temporal.requireKey('second');
  // Unlike `isReachable`, it asks each time.
  await eventually(() => corridor.shared.gateway.hasWorker().catch(() => false));
  await completeOrder(corridor);
  await corridor.stop();
});
