import { join } from 'node:path';
import type { Cleanup } from '../../dev/cleanup.ts';
import { startWebhookReceiver } from '../../dev/webhook-receiver.ts';
import { migrate } from '../../src/db/migrate.ts';
import { freePort, reserveLonger } from '../../src/process/free-port.ts';
import { findTemporal } from '../../src/service/embedded/temporal-binary.ts';
import { databaseSettings } from '../../test/support/database.ts';
import { NO_RATE_LIMITS } from '../../test/support/no-rate-limits.ts';
import type { Random } from '../../test/support/random.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { ADMIN_KEY, DEADLINES, queryOf, type Service, WEBHOOK_SECRET } from '../kernel/service.ts';
import { type Member, startMember } from './fleet.ts';
import {
  type KillableServer,
  type KillableTemporal,
  NAMESPACE,
  startKillablePostgres,
  startKillableTemporal,
} from './servers.ts';

const MEMBERS = ['api', 'api', 'worker', 'worker'] as const;
const DATABASE = 'corridor_faults';
const RENEW_PORTS_MS = 30_000;

/** The probability that a process dies at each crash point. */
const CRASH_POINTS = {
  api: [
    ...['pay.committed:0.02', 'pay.started:0.02', 'command.signalled:0.005', 'command.recorded:0.005'],
    ...['redelivery.reopened:0.1', 'withdrawal.committed:0.1', 'withdrawal.decided:0.1'],
    ...[
      'deposit.announced:0.1',
      'deposit.committed:0.1',
      'registration.committed:0.05',
      'issue.committed:0.05',
    ],
  ],
  worker: [
    ...['step.begun:0.003', 'step.committed:0.005', 'answer.committed:0.01', 'webhook.sent:0.003'],
    ...['webhook.recorded:0.002', 'verification.begun:0.005', 'verification.seen:0.005'],
    ...['verification.recorded:0.005'],
    ...['reconciler.begun:0.05', 'reconciler.started:0.02'],
  ],
};

/** The crash points and settings of an installation. */
export interface InstallationOptions {
  crashPoints: Record<Member['part'], string[]>;
  /** The crash point at which each process certainly crashes once. */
  certainCrashes?: Record<Member['part'], string>;
  /** Settings of its processes. */
  env: Record<string, string>;
}
/** `density` scales the probabilities of the crash points. */
export const withFaults = (density: number): InstallationOptions => {
  const scaled = (points: string[]) =>
    points.map((point) =>
      point.replace(/[\d.]+$/, (probability) => (Number(probability) * density).toFixed(9)),
    );
  const { api, worker } = CRASH_POINTS;
  return {
    crashPoints: { api: scaled(api), worker: scaled(worker) },
    ...(density > 0 ? { certainCrashes: CERTAIN_CRASHES } : {}),
    env: DEADLINES,
  };
};
/** Every order passes both of these crash points. */
const CERTAIN_CRASHES = { api: 'pay.started:1', worker: 'step.committed:1' };

/** A network link between two processes. */
export interface Link {
  name: string;
  proxy: TcpProxy;
}

/** Two APIs and two workers with their own servers. A link that can fail connects each process with each server. */
export interface Installation extends Service {
  members: Member[];
  links: Link[];
  postgres: KillableServer;
  temporal: KillableTemporal;
  /** Connects the links to a server that has been restarted. */
  reconnect: (server: 'postgres' | 'temporal') => void;
}

export async function startInstallation(
  folder: string,
  random: Random,
  cleanup: Cleanup,
  options: InstallationOptions,
): Promise<Installation> {
  const binary = await findTemporal({
    env: process.env,
    progress: (message) => process.stderr.write(`${message}\n`),
    signal: new AbortController().signal,
  });
  const postgres = await startKillablePostgres(folder);
  cleanup.add(postgres.stop);
  const temporal = await startKillableTemporal(folder, binary);
  cleanup.add(temporal.stop);
  const databaseUrl = (at: { host: string } = postgres.url()) => {
    const url = postgres.url();
    url.host = at.host;
    url.pathname = `/${DATABASE}`;
    return url.href;
  };
  await migrate({ url: databaseUrl(), debug: () => undefined });

  const links: (Link & { to: 'postgres' | 'temporal' | 'api' | 'receiver' })[] = [];
  const addLink = async (name: string, to: (typeof links)[number]['to'], port: number) => {
    const proxy = await startTcpProxy('127.0.0.1', port);
    cleanup.add(proxy.close);
    links.push({ name, to, proxy });
    return `${proxy.host}:${proxy.port}`;
  };
  const ports: number[] = [];
  // A run takes longer than a reservation, and another program could take the port of an API that is down.
  const renewal = setInterval(() => {
    for (const port of ports) void reserveLonger(port);
  }, RENEW_PORTS_MS);
  cleanup.add(async () => clearInterval(renewal));
  const ownPort = async () => {
    const port = await freePort();
    ports.push(port);
    return port;
  };
  const receiver = await startWebhookReceiver(WEBHOOK_SECRET, () => (random.chance(0.1) ? 500 : 200));
  cleanup.add(receiver.close);
  const receiverUrl = new URL(receiver.url);
  receiverUrl.host = await addLink('workers to receiver', 'receiver', Number(receiverUrl.port));

  const baseUrls: string[] = [];
  const members: Member[] = [];
  for (const [i, part] of MEMBERS.entries()) {
    const name = `${part}-${i}`;
    const port = await ownPort();
    const toDatabase = await addLink(`${name} to PostgreSQL`, 'postgres', Number(postgres.url().port));
    const toTemporal = await addLink(`${name} to Temporal`, 'temporal', Number(temporal.url().port));
    if (part === 'api') baseUrls.push(`http://${await addLink(`callers to ${name}`, 'api', port)}`);
    const env = {
      ...NO_RATE_LIMITS,
      ...options.env,
      PORT: String(port),
      DATA_DIR: join(folder, name),
      ...databaseSettings(databaseUrl({ host: toDatabase })),
      TEMPORAL_ADDRESS: toTemporal,
      TEMPORAL_NAMESPACE: NAMESPACE,
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_SECRET,
      COMMAND_SECRET: 'faults-command-secret-of-some-length',
      STRIKE_COOL_DOWN: '0s',
      LOG_LEVEL: 'warn',
    };
    const member = startMember({
      ...{ name, part, env, logFile: join(folder, `${name}.log`) },
      crashPoints: options.crashPoints[part].join(','),
      certainCrash: options.certainCrashes?.[part],
    });
    cleanup.add(member.stop);
    members.push(member);
  }

  return {
    ...{ baseUrls, members, links, postgres, temporal, receiver, namespace: 'faults' },
    callbackUrl: receiverUrl.href,
    databaseUrl: () => databaseUrl(),
    temporalAddress: () => temporal.url().host,
    reconnect: (server) => {
      const port = Number({ postgres, temporal }[server].url().port);
      for (const { to, proxy } of links) if (to === server) proxy.moveTo(port);
    },
    query: queryOf(() => databaseUrl()),
  };
}
