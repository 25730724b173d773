import { cpuOf, cpuWithChildren, postgresPid, temporalPid } from './cpu.ts';
import type { BenchServers } from './servers.ts';

/** CPU time in milliseconds: of the measured service, and of the servers for it. */
export interface CpuUse {
  service: number;
  temporal: number;
  postgres: number;
}

const PARTS = ['service', 'temporal', 'postgres'] as const;

/** Reads what the processes have used so far. */
export type CpuMeter = () => CpuUse;

/** A meter for a service that runs alone on the servers. Linux only. */
export async function createCpuMeter(
  servicePid: number,
  { databaseUrl, temporalAddress }: BenchServers,
): Promise<CpuMeter> {
  const postgres = await postgresPid(databaseUrl);
  const temporal = temporalPid(temporalAddress);
  return () => ({
    service: 1_000 * cpuOf([servicePid]),
    temporal: 1_000 * cpuOf([temporal]),
    postgres: 1_000 * cpuWithChildren(postgres),
  });
}

const combined = (of: (part: (typeof PARTS)[number]) => number): CpuUse => ({
  service: of('service'),
  temporal: of('temporal'),
  postgres: of('postgres'),
});

/** What `work` uses, divided by `count`. */
export async function cpuFor(meter: CpuMeter, count: number, work: () => Promise<unknown>): Promise<CpuUse> {
  const before = meter();
  await work();
  const after = meter();
  return combined((part) => (after[part] - before[part]) / count);
}

export const less = (use: CpuUse, other: CpuUse): CpuUse => combined((part) => use[part] - other[part]);

export const sumOf = (use: CpuUse): number => PARTS.reduce((sum, part) => sum + use[part], 0);
