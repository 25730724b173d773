import { setTimeout as delay } from 'node:timers/promises';
import { cpuOf, createServerMeter, type ServerCpu } from './cpu.ts';
import type { BenchServers } from './servers.ts';

/** CPU time in milliseconds: of the measured service, and of the servers for it. */
export interface CpuUse extends ServerCpu {
  service: number;
}

/** Reads what the processes have used so far. */
export type CpuMeter = () => CpuUse;

/** A meter for a service that runs alone on the servers. Linux only. */
export async function createCpuMeter(servicePid: number, servers: BenchServers): Promise<CpuMeter> {
  const ofServers = await createServerMeter(servers);
  return () => ({ service: 1_000 * cpuOf([servicePid]), ...ofServers() });
}

/** What `work` uses, divided by `count`. */
export async function cpuFor(meter: CpuMeter, count: number, work: () => Promise<unknown>): Promise<CpuUse> {
  const before = meter();
  await work();
  const after = meter();
  const each = (part: keyof CpuUse) => (after[part] - before[part]) / count;
  return { service: each('service'), temporal: each('temporal'), postgres: each('postgres') };
}

/** What the processes use for each millisecond in which nothing happens, measured for `ms`. */
export const idleCpu = async (meter: CpuMeter, ms: number): Promise<number> =>
  sumOf(await cpuFor(meter, ms, () => delay(ms)));

export const sumOf = ({ service, temporal, postgres }: CpuUse): number => service + temporal + postgres;
