import { setTimeout as delay } from 'node:timers/promises';
import { type Command, InvalidArgumentError } from 'commander';
import { parseDuration } from '../domain/duration.ts';
import { createLogger } from '../log.ts';
import type { OrderGateway } from '../orders/gateway.ts';
import type { Release, Releases } from '../orders/releases.ts';
import type { Cli } from './cli.ts';
import { CliError } from './connection.ts';
import { minute, table } from './output.ts';
import { noAnswerOf, ownServers, temporalOf } from './own-servers.ts';

const LOOK_EVERY_MS = 500;

/** `release`: whose workers orders go on with, where workers name their release (WORKER_RELEASE). Asks Temporal itself. */
export function addReleaseCommands(program: Command, { show }: Cli): void {
  const release = program.command('release').description('releases of the workers: see docs/releases.md');

  release
    .command('list')
    .description('the releases, their workers, and the orders that last went on with them')
    .action(() => withReleases(async (releases) => show(await releases.list(), releaseTable)));

  release
    .command('promote')
    .description('have all orders go on with a release, from their next step')
    .argument('<release>', 'what its workers have as WORKER_RELEASE')
    .option('--wait <duration>', 'wait so long for a worker of it to ask for work', durationArgument, 60_000)
    .action((name: string, { wait }: { wait: number }) =>
      withReleases(async (releases) => {
        const before = await releases.current();
        await promoteOnceThere(releases, name, wait);
        show({ current: name, before }, () => `Orders go on with ${name}; before, with ${named(before)}.`);
      }),
    );

  release
    .command('off')
    .description('have all orders go on with workers that name no release; start those next')
    .action(() =>
      withReleases(async (releases) => {
        const before = await releases.current();
        if (before !== null) await releases.promote(null);
        show(
          { current: null, before },
          () => `Orders go on with ${named(null)}; before, with ${named(before)}.`,
        );
      }),
    );
}

/** Without a worker of the release, all orders would stand still. */
async function promoteOnceThere(releases: Releases, name: string, waitMs: number): Promise<void> {
  const giveUpAt = Date.now() + waitMs;
  let why = '';
  do {
    const found = (await releases.list()).find(({ release }) => release === name);
    if (found?.current) return;
    if (found && found.workers > 0) {
      const refusal = await releases.promote(name).then(
        () => undefined,
        (error: { details?: string; message: string }) => error.details || error.message,
      );
      if (refusal === undefined) return;
      // A worker that has just begun has not asked for all kinds of work yet.
      why = ` Temporal says: ${refusal}.`;
    }
    await delay(Math.min(LOOK_EVERY_MS, Math.max(0, giveUpAt - Date.now())));
  } while (Date.now() < giveUpAt);
  throw new CliError(
    `No worker of release ${name} asks for work.${why} Start one with WORKER_RELEASE=${name}; nothing has been changed.`,
  );
}

async function withReleases(work: (releases: Releases) => Promise<void>): Promise<void> {
  const servers = await ownServers(process.env);
  const address = temporalOf(servers);
  const namespace = servers.config.temporalNamespace;
  // Loaded here, because it takes longer than all that the other commands do.
  const { createOrderGateway } = await import('../orders/gateway.ts');
  const gateway: OrderGateway = createOrderGateway({ address, namespace, log: createLogger('silent') });
  try {
    await work(gateway.releases);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(noAnswerOf(address, namespace, error), { cause: error });
  } finally {
    await gateway.close();
  }
}

const named = (release: string | null): string => release ?? 'workers that name no release';

const releaseTable = (releases: Release[]): string =>
  table(releases, {
    release: ({ release }) => release,
    current: ({ current }) => current,
    workers: ({ workers }) => workers,
    orders: ({ orders }) => orders,
    'current since (UTC)': ({ currentSince }) => minute(currentSince),
  });

function durationArgument(text: string): number {
  const ms = parseDuration(text);
  if (ms === undefined) throw new InvalidArgumentError('Write a duration such as 30s or 5m.');
  return ms;
}
