import { startTemporalParts } from '../contestants/temporal.ts';
import type { Floor } from './floor.ts';

/** An order has as many steps that somebody asks for. */
const STEPS = 4;

/**
 * A workflow that takes four signals, each sent when the local activity of the one before has run. The activity does
 * nothing but tell this very process: no database, no HTTP. `address`: host:port.
 */
export async function createNullSignals(address: string): Promise<Floor> {
  const waiting = new Map<string, () => void>();
  const temporal = await startTemporalParts({
    address,
    taskQueue: 'bench-null-signals',
    workflows: new URL('./workflows/floors.ts', import.meta.url),
    activities: nullActivities(waiting),
  });
  let orders = 0;
  return {
    once: async () => {
      const order = ++orders;
      const workflow = await temporal.start('nullSignals', order, [order, STEPS]);
      for (let step = 1; step <= STEPS; step++) {
        const done = new Promise<void>((resolve) => waiting.set(keyOf(order, step), resolve));
        await temporal.inTime(() => workflow.signal('step', step));
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
