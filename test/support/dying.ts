import { expect } from '@jest/globals';
import { type Call, caller } from '../../demo/http.ts';
import type { CrashPoint } from '../../src/crash-point.ts';
import { freePort } from '../../src/embedded/free-port.ts';
import { ADMIN_KEY, type TestCorridor, WEBHOOK_SECRET } from './corridor.ts';
import { testEnvironment } from './environment.ts';
import { run, type TestProcess } from './processes.ts';

/** Calls of the process that is to die, with a key or without. */
type As = (key?: string) => Call;

/** Processes beside a Corridor, on the same servers, that are not to live long. */
export interface Dying {
  startPart: (
    part: 'api' | 'worker',
    env?: Record<string, string>,
  ) => Promise<{ port: string; process: TestProcess }>;
  /** One that dies when it first comes to a place. */
  start: (part: 'api' | 'worker', point: CrashPoint) => Promise<{ as: As; died: () => Promise<void> }>;
  /** An API that dies over this call, whose caller is left without an answer. */
  over: (point: CrashPoint, call: (as: As) => Promise<unknown>) => Promise<void>;
  /** Ends what has not died. */
  end: () => Promise<void>;
}

export function dyingBeside({ config }: TestCorridor, databaseUrl: string): Dying {
  const dying: TestProcess[] = [];

  async function startPart(part: 'api' | 'worker', env: Record<string, string> = {}) {
    const port = String(await freePort());
    const process = run('src/main.ts', [part], {
      PORT: port,
      DATABASE_URL: databaseUrl,
      TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
      TEMPORAL_NAMESPACE: config.temporalNamespace,
      ADMIN_API_KEY: ADMIN_KEY,
      WEBHOOK_SECRET,
      PAY_RATE_LIMIT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    });
    dying.push(process);
    await process.says('is running');
    return { port, process };
  }

  async function start(part: 'api' | 'worker', point: CrashPoint) {
    const { port, process } = await startPart(part, { CRASH_POINTS: `${point}:1` });
    return {
      as: (key?: string) => caller(`http://127.0.0.1:${port}`, key),
      /** Sees that it has died there, and of nothing else. */
      died: async () => {
        expect(await process.ended).toBe('SIGKILL');
        expect(process.stderr()).toContain(`crash point ${point}`);
      },
    };
  }

  return {
    startPart,
    start,
    over: async (point, call) => {
      const api = await start('api', point);
      await expect(call(api.as)).rejects.toThrow('fetch failed');
      await api.died();
    },
    end: async () => {
      for (const process of dying.splice(0)) {
        process.kill('SIGKILL');
        await process.ended;
      }
    },
  };
}
