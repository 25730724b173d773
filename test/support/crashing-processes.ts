import { expect } from '@jest/globals';
import { type Call, createCaller } from '../../dev/http-client.ts';
import type { CrashPoint } from '../../src/process/crash-point.ts';
import { freePort } from '../../src/process/free-port.ts';
import { ADMIN_KEY, type TestCorridor, WEBHOOK_SECRET } from './corridor.ts';
import { databaseSettings } from './database.ts';
import { testEnvironment } from './environment.ts';
import { run, type TestProcess } from './processes.ts';

/** Calls the process that will crash, with a key or without. */
type As = (key?: string) => Call;

/** Processes that crash at crash points. They use the same servers as a Corridor in the test process. */
export interface CrashingProcesses {
  startPart: (
    part: 'api' | 'worker',
    env?: Record<string, string>,
  ) => Promise<{ port: string; process: TestProcess }>;
  /** Starts a process that crashes when it first reaches this crash point. */
  start: (part: 'api' | 'worker', point: CrashPoint) => Promise<{ as: As; died: () => Promise<void> }>;
  /** Starts an API that crashes during this call, so that the caller gets no response. */
  duringCall: (point: CrashPoint, call: (as: As) => Promise<unknown>) => Promise<void>;
  /** Ends the processes that have not crashed. */
  end: () => Promise<void>;
}

export function createCrashingProcesses({ config }: TestCorridor, databaseUrl: string): CrashingProcesses {
  const crashing: TestProcess[] = [];

  async function startPart(part: 'api' | 'worker', env: Record<string, string> = {}) {
    const port = String(await freePort());
    const process = run('src/main.ts', [part], {
      PORT: port,
      ...databaseSettings(databaseUrl),
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
      TEMPORAL_NAMESPACE: config.temporalNamespace,
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_SECRET,
      PAY_RATE_LIMIT: '0',
      AGENT_RATE_LIMIT: '0',
      UPKEEP_INTERVAL: '500ms',
      UPKEEP_SETTLE_TIME: '1s',
      LOG_LEVEL: 'warn',
      ...env,
    });
    crashing.push(process);
    await process.prints('is running');
    return { port, process };
  }

  async function start(part: 'api' | 'worker', point: CrashPoint) {
    const { port, process } = await startPart(part, { CRASH_POINTS: `${point}:1` });
    return {
      as: (key?: string) => createCaller(`http://127.0.0.1:${port}`, key),
      /** Expects that the process crashed at this point. */
      died: async () => {
        expect(await process.ended).toBe('SIGKILL');
        expect(process.stderr()).toContain(`crash point ${point}`);
      },
    };
  }

  return {
    startPart,
    start,
    duringCall: async (point, call) => {
      const api = await start('api', point);
      await expect(call(api.as)).rejects.toThrow('fetch failed');
      await api.died();
    },
    end: async () => {
      for (const process of crashing.splice(0)) {
        process.kill('SIGKILL');
        await process.ended;
      }
    },
  };
}
