import { readdirSync } from 'node:fs';
import { cpuTimesIn } from '../cpu.ts';

/** What a thread of Node is called in the tables, by the name that it gives itself. */
const NAMES: [RegExp, string][] = [
  [/^(MainThread|node)$/, 'Node: main thread'],
  [/^WorkerThread/, 'Node: workflow thread'],
  [/^V8Worker/, 'Node: V8 helpers'],
  [/^tokio/, 'Node: tokio (Temporal’s core)'],
  [/^libuv/, 'Node: libuv'],
];
const OTHERS = 'Node: others';
const ENDED = 'Node: threads that have ended (watchdogs)';

/** Milliseconds of CPU time of a Node process by thread. Threads that end, as a sandbox's watchdogs do, count together. */
export function cpuByThread(pid: number): Record<string, number> {
  const used: Record<string, number> = Object.fromEntries(NAMES.map(([, name]) => [name, 0]));
  used[OTHERS] = 0;
  let alive = 0;
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    const times = cpuTimesIn(`${folder}/${thread}`);
    // It has ended meanwhile.
    if (!times) continue;
    const [, name = OTHERS] = NAMES.find(([pattern]) => pattern.test(times.name)) ?? [];
    used[name] = (used[name] ?? 0) + 1_000 * times.own;
    alive += 1_000 * times.own;
  }
  used[ENDED] = 1_000 * (cpuTimesIn(`/proc/${pid}`)?.own ?? 0) - alive;
  return used;
}
