import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { secretSettings } from '../../../docs/generate/helm-chart.ts';
import { consoleFiles } from '../../../src/api/pages/console-bundle.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { roleUrl } from '../../../src/service/embedded/roles.ts';
import { workflowBundle } from '../../../src/service/worker/bundle.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { isSetting } from '../../../src/settings/names.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { FULL, MINIMAL, podsIn, render, type Yaml } from '../../support/helm-chart.ts';
import { findHelmTools, type HelmTools } from '../../support/helm-tools.ts';
import { run, type TestProcess } from '../../support/processes.ts';

/** What the pods of the chart run: their environment and their probes. */

const tools = await findHelmTools();
const { helm } = tools ?? ({} as HelmTools);
const random = () => randomBytes(24).toString('hex');

(tools ? describe : describe.skip)('the pods of the Helm chart', () => {
  let folder: string;
  const running: TestProcess[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'corridor-helm-'));
  });
  afterAll(async () => {
    for (const process of running) process.kill('SIGTERM');
    await Promise.all(running.map(({ ended }) => ended));
    await rm(folder, { recursive: true });
  });

  const envOf = ({ spec }: Yaml): Yaml[] => spec.containers[0].env;
  /** The environment that the kubelet makes of the pod and the Secrets. */
  const environment = (pod: Yaml, secrets: Record<string, string>): Record<string, string> =>
    Object.fromEntries(
      envOf(pod).map(({ name, value, valueFrom }) => [name, value ?? secrets[valueFrom.secretKeyRef.key]]),
    );
  const secrets = () => ({
    DATABASE_URL: 'postgres://corridor_service:x@db.example/corridor',
    DATABASE_READER_URL: 'postgres://corridor_reader:x@db.example/corridor',
    DATABASE_OWNER_URL: 'postgres://corridor_owner:x@db.example/corridor',
    CHAIN_ETH_RPC_URL: 'https://node.example/key',
    OTEL_EXPORTER_OTLP_HEADERS: 'key=value',
    ...Object.fromEntries(
      [
        'ADMIN_API_KEY',
        'WEBHOOK_SECRET',
        'WEBHOOK_SECRET_SECOND',
        'COMMAND_SECRET',
        'OIDC_CLIENT_SECRET',
      ].map((name) => [name, random()]),
    ),
    RECEIPTS_S3_ACCESS_KEY_ID: 'id',
    RECEIPTS_S3_SECRET_ACCESS_KEY: 'key',
  });

  test.each([MINIMAL, FULL])('have settings that Corridor accepts, with %s', async (file) => {
    for (const name of ['tls.crt', 'tls.key', 'ca.crt']) await writeFile(join(folder, name), 'certificate');
    for (const { pod } of podsIn(render(helm, [file]).manifests)) {
      const env = environment(pod, secrets());
      const unknown = Object.keys(env).filter((name) => !isSetting(name));
      expect(unknown.filter((name) => !secretSettings.includes(name))).toEqual([]);
      expect(Object.entries(env).filter(([, value]) => value === undefined)).toEqual([]);
      const mounted = Object.entries(env).map(([name, value]) => [
        name,
        value.replace('/run/secrets/temporal', folder),
      ]);
      expect(loadConfig(Object.fromEntries(mounted)).production).toBe(true);
    }
  });

  /** An empty database, whose URLs are in the Secrets, and a Temporal namespace that does not exist. */
  async function newServers() {
    const { adminUrl, temporalAddress } = testEnvironment();
    const name = `helm_${randomBytes(4).toString('hex')}`;
    const client = new pg.Client({ connectionString: adminUrl });
    await client.connect();
    await client.query(`create database ${name} owner corridor_owner`);
    await client.end();
    const url = new URL(adminUrl);
    url.pathname = `/${name}`;
    const roles = {
      DATABASE_URL: 'service',
      DATABASE_READER_URL: 'reader',
      DATABASE_OWNER_URL: 'owner',
    } as const;
    const urls = Object.entries(roles).map(([setting, role]) => [setting, roleUrl(url.href, role)]);
    const values = { TEMPORAL_ADDRESS: temporalAddress, TEMPORAL_NAMESPACE: name.replace('_', '-') };
    return { held: { ...secrets(), ...Object.fromEntries(urls) }, values };
  }

  /** Runs the pod's container as a process. A pod has an address and a file system of its own. */
  async function start(pod: Yaml, held: Record<string, string>) {
    const [{ command, ...container }] = pod.spec.containers;
    const ports: Record<string, number> = { http: await freePort(), metrics: await freePort() };
    const dataDir = await mkdtemp(join(folder, 'data-'));
    const process = run(command[1], command.slice(2), {
      ...environment(pod, held),
      ...{ HOST: '127.0.0.1', PORT: String(ports.http), DATA_DIR: dataDir },
      ...{ METRICS_HOST: '127.0.0.1', METRICS_PORT: String(ports.metrics) },
      // Node refuses to write anywhere else, as a read-only file system does.
      NODE_OPTIONS: `--permission --allow-fs-read=* --allow-fs-write=${dataDir} --allow-addons --allow-worker`,
      NODE_COMPILE_CACHE: '',
    });
    running.push(process);
    const probe = (name: 'startupProbe' | 'readinessProbe' | 'livenessProbe') => async () => {
      const { port, path } = container[name].httpGet;
      const response = await fetch(`http://127.0.0.1:${ports[port]}${path}`).catch(() => undefined);
      return response?.status;
    };
    return { process, probe };
  }

  test('start Corridor on real servers, write to DATA_DIR only, and their probes succeed', async () => {
    // The image has the bundles, too.
    await Promise.all([workflowBundle(), consoleFiles()]);
    const { held, values } = await newServers();
    const settings = Object.entries(values).map(([name, value]) => `settings.${name}="${value}"`);
    const started = (name: string, ...changed: string[]) =>
      start(
        podsIn(render(helm, [MINIMAL], [...settings, ...changed]).manifests).find((one) => one.name === name)
          ?.pod,
        held,
      );

    for (const part of ['migrate', 'restored'])
      expect(await (await started(`corridor-${part}`, `migrate.part="${part}"`)).process.ends()).toBe(0);
    const api = await started('corridor-api');
    await eventuallyEquals(api.probe('livenessProbe'), 200);
    // Without a worker, a new pod has not started, and an older one stays ready.
    expect(await api.probe('startupProbe')()).toBe(503);
    expect(await api.probe('readinessProbe')()).toBe(200);
    const worker = await started('corridor-worker');
    await eventuallyEquals(worker.probe('startupProbe'), 200);
    expect(await worker.probe('livenessProbe')()).toBe(200);
    await eventuallyEquals(api.probe('startupProbe'), 200);
    for (const { process } of [api, worker]) {
      process.kill('SIGTERM');
      expect(await process.ends()).toBe(0);
    }
  });
});
