import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Random } from '../support/random.ts';
import type { Member } from './fleet.ts';
import type { Installation, Wire } from './installation.ts';

/** Something that goes wrong, and is over when its promise resolves. */
interface Fault {
  /** Against the others. */
  weight: number;
  strike: (context: FaultContext) => Promise<void>;
}

interface FaultContext {
  random: Random;
  installation: Installation;
  /** Whether this fault alone has to do with the server at present; else it has been left out. */
  alone: (server: 'postgres' | 'temporal', strike: () => Promise<void>) => Promise<void>;
}

const aWire = ({ random, installation }: FaultContext): Wire => random.pick(installation.wires);
const aMember = ({ random, installation }: FaultContext, part: Member['part']): Member =>
  random.pick(installation.members.filter((member) => member.part === part));

const kill = (part: Member['part']) => async (context: FaultContext) =>
  aMember(context, part).signal('SIGKILL');
const stop = (part: Member['part']) => async (context: FaultContext) => {
  const member = aMember(context, part);
  member.signal('SIGSTOP');
  await delay(context.random.integer(300, 6_000));
  member.signal('SIGCONT');
};
const onWire = (fault: (wire: Wire, random: Random) => void) => async (context: FaultContext) => {
  const wire = aWire(context);
  fault(wire, context.random);
  await delay(context.random.integer(200, 4_000));
  wire.proxy.restore();
};
const killServer = (name: 'postgres' | 'temporal') => (context: FaultContext) =>
  context.alone(name, async () => {
    const { installation, random } = context;
    await installation[name].kill();
    await delay(random.integer(0, 3_000));
    await installation[name].start();
    installation.rewire(name);
  });

/** As many as there are connections to be had, held for a moment. */
async function crowd({ installation, random }: FaultContext): Promise<void> {
  const clients = Array.from({ length: 180 }, () => {
    const client = new pg.Client({
      connectionString: installation.databaseUrl(),
      application_name: 'faults-crowd',
      connectionTimeoutMillis: 5_000,
    });
    // It may be refused, or lost with the server; a place that is not taken is all the same here.
    client.on('error', () => undefined);
    return client;
  });
  await Promise.allSettled(clients.map((client) => client.connect()));
  await delay(random.integer(500, 3_000));
  await Promise.allSettled(clients.map((client) => client.end()));
}

const FAULTS: Record<string, Fault> = {
  'API killed': { weight: 3, strike: kill('api') },
  'worker killed': { weight: 3, strike: kill('worker') },
  'API stopped and continued': { weight: 3, strike: stop('api') },
  'worker stopped and continued': { weight: 4, strike: stop('worker') },
  'wire cut': { weight: 5, strike: onWire(({ proxy }) => proxy.cut()) },
  'wire frozen': { weight: 5, strike: onWire(({ proxy }) => proxy.freeze()) },
  'answers lost on a wire': { weight: 5, strike: onWire(({ proxy }) => proxy.dropResponses()) },
  'wire slow': {
    weight: 4,
    strike: onWire(({ proxy }, random) => proxy.slow(random.integer(50, 800))),
  },
  'database connections ended': {
    weight: 4,
    strike: async ({ installation }) => {
      await installation.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'corridor%'`,
      );
    },
  },
  'database connections used up': { weight: 1, strike: crowd },
  'PostgreSQL killed': { weight: 1.5, strike: killServer('postgres') },
  'Temporal killed': { weight: 1.5, strike: killServer('temporal') },
  'Temporal lost all': {
    weight: 0.7,
    strike: (context) =>
      context.alone('temporal', async () => {
        await context.installation.temporal.loseEverything();
        await context.installation.temporal.start();
        context.installation.rewire('temporal');
      }),
  },
};

export interface FaultOptions {
  /** No more than these strike. */
  mostFaults: number;
  /** How thick they come, and how likely a process is to die at one of its crash points; 0 for none of either. */
  density: number;
}

export interface FaultRun {
  /** How often each kind has struck. */
  counts: ReadonlyMap<string, number>;
  /** Resolves when one has struck, or none will any more. */
  first: Promise<unknown>;
  /** Lets what is under way end, and mends everything. */
  end: () => Promise<void>;
}

const LANES = 2;
/** Between two faults of a lane, and before its first, at a density of 1. */
const APART_MS = [300, 3_000] as const;

/** So many must have struck when there was time for `longestMs`: the first one is there by then, whatever is chosen. */
export const leastFaults = ({ mostFaults, density }: FaultOptions, longestMs: number): number =>
  density > 0 && longestMs > APART_MS[1] / density ? Math.min(mostFaults, 1) : 0;

/** Faults at random, two at a time, until it is ended, or so many have struck. */
export function startFaults(
  installation: Installation,
  lanes: Random[],
  { mostFaults, density }: FaultOptions,
): FaultRun {
  const counts = new Map(Object.keys(FAULTS).map((name) => [name, 0]));
  const ending = new AbortController();
  const busy = new Set<string>();
  let struck = 0;
  const first = Promise.withResolvers<void>();
  const running = Promise.all(lanes.slice(0, LANES).map(lane));
  // The caller that ends it waits for it.
  running.catch(() => undefined).finally(first.resolve);

  return {
    counts,
    first: first.promise,
    end: async () => {
      ending.abort();
      await running;
      for (const { proxy } of installation.wires) proxy.restore();
      for (const member of installation.members) {
        member.signal('SIGCONT');
        member.arm('');
      }
    },
  };

  async function lane(random: Random): Promise<void> {
    while (density > 0) {
      // Aborted: the loop's own condition ends it.
      await delay(random.integer(...APART_MS) / density, undefined, { signal: ending.signal }).catch(
        () => undefined,
      );
      if (ending.signal.aborted || struck >= mostFaults) return;
      const [name, fault] = random.weighted(Object.entries(FAULTS), ([, { weight }]) => weight);
      let left = false;
      const alone: FaultContext['alone'] = async (server, strike) => {
        left = busy.has(server);
        if (left) return;
        busy.add(server);
        await strike().finally(() => busy.delete(server));
      };
      await fault.strike({ random, installation, alone }).catch((error) => {
        // The database may be the one that another fault has just killed.
        if (!busy.has('postgres')) throw error;
        left = true;
      });
      if (left) continue;
      struck += 1;
      first.resolve();
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
}
