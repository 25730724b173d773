import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Cleanup } from '../../dev/cleanup.ts';
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts';
import { freePort } from '../../src/process/free-port.ts';
import { eventually } from '../../test/support/eventually.ts';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import { startTcpProxy } from '../../test/support/tcp-proxy.ts';
import { ADMIN_KEY, DEADLINES, queryOf, type Service, WEBHOOK_SECRET } from '../kernel/service.ts';
import { type Engine, openEngine } from './engine.ts';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const HEALTHY_WITHIN_MS = 180_000;

/** The services of the Compose file that stay up, with the number of containers of each. */
const SERVICES = { postgres: 1, temporal: 1, worker: 2, api: 2, balancer: 1 } as const;
export type ServiceName = keyof typeof SERVICES;

const PASSWORDS = [
  'POSTGRES_PASSWORD',
  'OWNER_PASSWORD',
  'SERVICE_PASSWORD',
  'READER_PASSWORD',
  'TEMPORAL_PASSWORD',
];

/** The arrangement of docker-compose.yml, run by podman. */
export interface Arrangement extends Service {
  engine: Engine;
  /** The name of the n-th container of a service, from 1. */
  container: (service: ServiceName | 'migrate' | 'temporal-schema', n?: number) => string;
  /** Starts a service with so many containers, by default all, and waits until each is healthy. */
  start: (service: ServiceName, containers?: number) => Promise<void>;
  /** Runs a service that ends by itself, and waits for its end. */
  runOnce: (service: 'migrate' | 'temporal-schema') => Promise<void>;
  /** Removes a container, killed or stopped, and starts another in its place. */
  replace: (service: ServiceName, n: number, how: 'kill' | 'stop') => Promise<void>;
}

/**
 * Prepares the arrangement, and starts its PostgreSQL. The cleanup removes everything of it. `folder`: for the files that
 * the test replaces.
 */
export async function prepareArrangement(folder: string, cleanup: Cleanup): Promise<Arrangement> {
  const project = `corridor-test-${process.pid}`;
  const network = `${project}_default`;
  const ports = { BALANCER: await freePort(), POSTGRES: await freePort(), TEMPORAL: await freePort() };
  const baseUrl = `http://127.0.0.1:${ports.BALANCER}`;
  const password = 'containers0password0of0length';
  const override = join(folder, 'compose.override.yml');
  const settings = join(folder, 'compose.settings.json');
  const engine = await openEngine({
    project,
    files: [join(PROJECT, 'docker-compose.yml'), override, settings],
    folder: PROJECT,
    env: {
      ...Object.fromEntries(PASSWORDS.map((name) => [name, password])),
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_SECRET,
      COMMAND_SECRET: 'containers-command-secret-of-some-length',
      PUBLIC_URL: baseUrl,
      SANDBOX: 'true',
    },
  });
  await engine.podman('network', 'create', network);
  cleanup.add(async () => {
    const own = ['--filter', `label=io.podman.compose.project=${project}`];
    const containers = (await engine.podman('ps', '--all', '--quiet', ...own)).split('\n').filter(Boolean);
    if (containers.length > 0) await engine.podman('rm', '--force', '--time', '0', ...containers);
    const volumes = (await engine.podman('volume', 'ls', '--quiet', ...own)).split('\n').filter(Boolean);
    if (volumes.length > 0) await engine.podman('volume', 'rm', '--force', ...volumes);
    await engine.podman('network', 'rm', '--force', network);
  });
  const gateway = (
    await engine.podman('network', 'inspect', network, '--format', '{{(index .Subnets 0).Gateway}}')
  ).trim();

  const balancerConf = join(folder, 'balancer.conf');
  await writeFile(
    balancerConf,
    forOneAddress(await readFile(join(PROJECT, 'docker/balancer.conf'), 'utf8'), gateway),
  );
  const values: Record<string, string | number> = {
    BALANCER_CONF: balancerConf,
    BALANCER_PORT: ports.BALANCER,
    POSTGRES_PORT: ports.POSTGRES,
    TEMPORAL_PORT: ports.TEMPORAL,
  };
  const template = await readFile(new URL('compose.override.yml', import.meta.url), 'utf8');
  await writeFile(
    override,
    template.replaceAll(/\$\{(\w+)\}/g, (_, name) => String(values[name])),
  );
  const environment = {
    ...NO_RATE_LIMITS,
    ...DEADLINES,
    STRIKE_COOL_DOWN: '0s',
    LP_AUTO_APPROVE: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
  await writeFile(settings, JSON.stringify({ services: { api: { environment }, worker: { environment } } }));

  const container: Arrangement['container'] = (service, n = 1) => `${project}_${service}_${n}`;
  const up = (service: string, containers = 1) =>
    engine.compose(
      ...['up', '--detach', '--no-deps', '--no-build', '--scale', `${service}=${containers}`, service],
    );
  const start: Arrangement['start'] = async (service, containers = SERVICES[service]) => {
    await up(service, containers);
    for (let n = 1; n <= containers; n++) await untilHealthy(container(service, n));
  };
  // The network has its address on this machine only from its first container on.
  await start('postgres');
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET);
  cleanup.add(receiver.close);
  const callbackUrl = new URL(receiver.url);
  // The containers reach this machine at their gateway, and the receiver listens on the loopback address.
  const proxy = await startTcpProxy(callbackUrl.hostname, Number(callbackUrl.port), gateway);
  cleanup.add(proxy.close);
  callbackUrl.host = `${proxy.host}:${proxy.port}`;

  const databaseUrl = () => `postgres://postgres:${password}@127.0.0.1:${ports.POSTGRES}/corridor`;
  return {
    ...{ engine, container, start, receiver, databaseUrl, namespace: 'corridor' },
    baseUrls: [baseUrl],
    callbackUrl: callbackUrl.href,
    temporalAddress: () => `127.0.0.1:${ports.TEMPORAL}`,
    query: queryOf(databaseUrl),
    runOnce: async (service) => {
      await up(service);
      const name = container(service);
      const code = (await engine.podman('wait', name)).trim();
      const logs = await engine.podman('logs', '--tail', '20', name);
      if (code !== '0') throw new Error(`${service} ended with ${code}:\n${logs}`);
    },
    replace: async (service, n, how) => {
      const name = container(service, n);
      if (how === 'kill') await engine.podman('kill', '--signal', 'KILL', name);
      else await engine.podman('stop', name);
      await engine.podman('rm', '--force', '--time', '0', name);
      await start(service);
    },
  };

  /** The engine's own health checks need systemd, so this runs the container's check itself. */
  async function untilHealthy(name: string): Promise<void> {
    const isHealthy = () =>
      engine.podman('healthcheck', 'run', name).then(
        () => true,
        () => false,
      );
    await eventually(isHealthy, HEALTHY_WITHIN_MS).catch(async () => {
      const logs = await engine.podman('logs', '--tail', '20', name).catch(String);
      throw new Error(`${name} did not become healthy:\n${logs}`);
    });
  }
}

/**
 * The balancer's configuration for this engine's name server, and without limits per address: here all callers share one.
 * Throws if the configuration has changed, so that this must, too.
 */
function forOneAddress(conf: string, nameServer: string): string {
  const replacements = {
    'resolver 127.0.0.11': `resolver ${nameServer}`,
    'limit_req zone=requests burst=200 nodelay;': '',
    'limit_conn connections 100;': '',
  };
  for (const [text, replacement] of Object.entries(replacements)) {
    if (!conf.includes(text)) throw new Error(`docker/balancer.conf does not contain "${text}"`);
    conf = conf.replace(text, replacement);
  }
  return conf;
}
