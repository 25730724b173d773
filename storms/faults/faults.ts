import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { roleUrl } from '../../src/service/embedded/roles.ts';
import type { Random } from '../../test/support/random.ts';
import type { Member } from './fleet.ts';
import type { Installation, Link } from './installation.ts';

interface Fault {
  /** Relative to the other faults. */
  weight: number;
  /** Injects the fault. Resolves when the fault has ended. */
  inject: (context: FaultContext) => Promise<void>;
}

interface FaultContext {
  random: Random;
  installation: Installation;
  /** Injects the fault unless another fault is using this server. */
  exclusively: (server: 'postgres' | 'temporal', inject: () => Promise<void>) => Promise<void>;
}

const pickLink = ({ random, installation }: FaultContext): Link => random.pick(installation.links);
const pickMember = ({ random, installation }: FaultContext, part: Member['part']): Member =>
  random.pick(installation.members.filter((member) => member.part === part));

const kill = (part: Member['part']) => async (context: FaultContext) =>
  pickMember(context, part).signal('SIGKILL');
const stop = (part: Member['part']) => async (context: FaultContext) => {
  const member = pickMember(context, part);
  member.signal('SIGSTOP');
  await delay(context.random.integer(300, 6_000));
  member.signal('SIGCONT');
};
const onLink = (fault: (link: Link, random: Random) => void) => async (context: FaultContext) => {
  const link = pickLink(context);
  fault(link, context.random);
  await delay(context.random.integer(200, 4_000));
  link.proxy.restore();
};
const killServer = (name: 'postgres' | 'temporal') => (context: FaultContext) =>
  context.exclusively(name, async () => {
    const { installation, random } = context;
    await installation[name].kill();
    await delay(random.integer(0, 3_000));
    await installation[name].start();
    installation.reconnect(name);
  });

const CONNECTION_BATCH = 50;

/** Takes all free connections of the database for a moment, except those that PostgreSQL reserves for superusers. */
async function exhaustConnections(installation: Installation, random: Random): Promise<void> {
  const clients: pg.Client[] = [];
  for (let refused = false; !refused; ) {
    const more = Array.from({ length: CONNECTION_BATCH }, () => {
      const client = new pg.Client({
        connectionString: roleUrl(installation.databaseUrl(), 'service'),
        application_name: 'faults-connections',
        connectionTimeoutMillis: 5_000,
      });
      // A connection may be lost with the server. That is harmless here.
      client.on('error', () => undefined);
      return client;
    });
    clients.push(...more);
    const opened = await Promise.allSettled(more.map((client) => client.connect()));
    refused = opened.some(({ status }) => status === 'rejected');
  }
  await delay(random.integer(500, 3_000));
  await Promise.allSettled(clients.map((client) => client.end()));
}

const FAULTS: Record<string, Fault> = {
  'API killed': { weight: 3, inject: kill('api') },
  'worker killed': { weight: 3, inject: kill('worker') },
  'API stopped and continued': { weight: 3, inject: stop('api') },
  'worker stopped and continued': { weight: 4, inject: stop('worker') },
  'link cut': { weight: 5, inject: onLink(({ proxy }) => proxy.cut()) },
  'link frozen': { weight: 5, inject: onLink(({ proxy }) => proxy.freeze()) },
  'responses lost on a link': { weight: 5, inject: onLink(({ proxy }) => proxy.dropResponses()) },
  'link slow': {
    weight: 4,
    inject: onLink(({ proxy }, random) => proxy.slow(random.integer(50, 800))),
  },
  'database connections ended': {
    weight: 4,
    inject: ({ installation, exclusively }) =>
      exclusively('postgres', async () => {
        await installation.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'corridor%'`,
        );
      }),
  },
  'database connections used up': {
    weight: 1,
    inject: ({ installation, random, exclusively }) =>
      exclusively('postgres', () => exhaustConnections(installation, random)),
  },
  'PostgreSQL killed': { weight: 1.5, inject: killServer('postgres') },
  'Temporal killed': { weight: 1.5, inject: killServer('temporal') },
  'Temporal lost all data': {
    weight: 0.7,
    inject: (context) =>
      context.exclusively('temporal', async () => {
        await context.installation.temporal.loseEverything();
        await context.installation.temporal.start();
        context.installation.reconnect('temporal');
      }),
  },
};

export interface FaultOptions {
  /** The maximum number of faults. */
  maxFaults: number;
  /** Fault density: scales the frequency of faults and the probability of crashes at crash points. 0: neither. */
  density: number;
}

export interface FaultRun {
  /** The number of injected faults by kind. */
  counts: ReadonlyMap<string, number>;
  /** Resolves after the first fault, or when no fault will follow. */
  first: Promise<unknown>;
  /** Waits for the running faults, and restores all links and processes. */
  end: () => Promise<void>;
}

const LANES = 2;
/** The pause between two faults of a lane, and before its first, at a density of 1. */
const PAUSE_MS = [300, 3_000] as const;

/** The minimum number of faults in a run of `maxDurationMs`: 1 if that is longer than the longest pause. */
export const minimumFaults = ({ maxFaults, density }: FaultOptions, maxDurationMs: number): number =>
  density > 0 && maxDurationMs > PAUSE_MS[1] / density ? Math.min(maxFaults, 1) : 0;

/** Injects random faults, two at a time, until `end` is called or the maximum is reached. */
export function startFaults(
  installation: Installation,
  lanes: Random[],
  { maxFaults, density }: FaultOptions,
): FaultRun {
  const counts = new Map(Object.keys(FAULTS).map((name) => [name, 0]));
  const ending = new AbortController();
  const busy = new Set<string>();
  let injected = 0;
  const first = Promise.withResolvers<void>();
  const running = Promise.all(lanes.slice(0, LANES).map(lane));
  // `end` reports an error of a lane.
  running.catch(() => undefined).finally(first.resolve);

  return {
    counts,
    first: first.promise,
    end: async () => {
      ending.abort();
      await running;
      for (const { proxy } of installation.links) proxy.restore();
      for (const member of installation.members) {
        member.signal('SIGCONT');
        member.arm('');
      }
    },
  };

  async function lane(random: Random): Promise<void> {
    while (density > 0) {
      // After an abort, the next line ends the loop.
      await delay(random.integer(...PAUSE_MS) / density, undefined, { signal: ending.signal }).catch(
        () => undefined,
      );
      if (ending.signal.aborted || injected >= maxFaults) return;
      const [name, fault] = random.weighted(Object.entries(FAULTS), ([, { weight }]) => weight);
      let isSkipped = false;
      const exclusively: FaultContext['exclusively'] = async (server, inject) => {
        isSkipped = busy.has(server);
        if (isSkipped) return;
        busy.add(server);
        await inject().finally(() => busy.delete(server));
      };
      await fault.inject({ random, installation, exclusively });
      if (isSkipped) continue;
      injected += 1;
      first.resolve();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
}
