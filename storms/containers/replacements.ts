import { eventually } from '../../test/support/eventually.ts';
import type { Arrangement, ServiceName } from './arrangement.ts';

/** As an operator upgrades: APIs and workers one after the other, each asked to stop. */
const UPGRADED = [
  ['worker', 1],
  ['worker', 2],
  ['api', 1],
  ['api', 2],
] as const satisfies [ServiceName, number][];

/** As machines fail: each container in turn. */
const KILLED = [...UPGRADED, ['balancer', 1], ['temporal', 1], ['postgres', 1]] as const satisfies [
  ServiceName,
  number,
][];

/** So many events of orders show that work goes on between two replacements. */
const EVENTS_BETWEEN = 15;

/**
 * Upgrades the arrangement to the new image, and then kills and replaces each of its containers, one at a time, while orders
 * run. `useNewImage` gives the new image the name that the Compose file uses.
 */
export function replaceEverything(
  { query, runOnce, replace, engine, container }: Arrangement,
  useNewImage: () => Promise<unknown>,
  say: (step: string) => void,
): { first: Promise<void>; end: () => Promise<void>; needsMore: () => boolean } {
  let isDone = false;
  const all = run().finally(() => {
    isDone = true;
  });
  // `end` reports the error.
  all.catch(() => undefined);
  return { first: all, end: () => all, needsMore: () => !isDone };

  async function run(): Promise<void> {
    await someWork();
    await useNewImage();
    await engine.podman('rm', container('migrate'));
    await runOnce('migrate');
    say('upgrade: migrated');
    for (const [service, n] of UPGRADED) await step('upgrade: replaced', service, n, 'stop');
    for (const [service, n] of KILLED) await step('killed and replaced', service, n, 'kill');
  }

  async function step(what: string, service: ServiceName, n: number, how: 'kill' | 'stop'): Promise<void> {
    const started = Date.now();
    await replace(service, n, how);
    const healthyMs = Date.now() - started;
    await someWork();
    say(
      `${what} ${service} ${n}: healthy after ${(healthyMs / 1_000).toFixed(1)} s, ${EVENTS_BETWEEN} more events of orders after ${((Date.now() - started) / 1_000).toFixed(1)} s`,
    );
  }

  async function someWork(): Promise<void> {
    const before = await events();
    await eventually(async () => (await events()) >= before + EVENTS_BETWEEN, 180_000);
  }

  async function events(): Promise<number> {
    const [row] = await query<{ n: number }>('select count(*)::int as n from order_event');
    return row?.n ?? 0;
  }
}
