import { startTemporalParts } from '../alternatives/temporal.ts';
import type { Baseline } from './baseline.ts';

/** The number of commands of an order: claim, fiat sent, confirm, settle. */
const STEPS = 4;

/**
 * A workflow that receives four signals, each sent after the local activity of the one before. The activity only
 * notifies this process: no database, no HTTP. `address`: host:port.
 */
export async function createNullSignals(address: string): Promise<Baseline> {
  const waiting = new Map<string, () => void>();
  const temporal = await startTemporalParts({
    address,
    taskQueue: 'bench-null-signals',
    workflows: new URL('./workflows/baselines.ts', import.meta.url),
    activities: nullActivities(waiting),
  });
  let orders = 0;
  return {
    once: async () => {
      const order = ++orders;
      const workflow = await temporal.start('nullSignals', order, STEPS);
      for (let step = 1; step <= STEPS; step++) {
        const done = new Promise<void>((resolve) => waiting.set(keyOf(order, step), resolve));
        await temporal.withDeadline(() => workflow.signal('step', step));
        await done;
      }
    },
    close: temporal.close,
  };
}

const keyOf = (order: number, step: number) => `${order}/${step}`;

export type NullActivities = ReturnType<typeof nullActivities>;

const nullActivities = (waiting: Map<string, () => void>) => ({
  nothing: async (order: number, step: number): Promise<void> => {
    const key = keyOf(order, step);
    waiting.get(key)?.();
    waiting.delete(key);
  },
});
