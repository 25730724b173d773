import { startTemporalParts } from '../contestants/temporal.ts';
import type { Floor } from './floor.ts';

/** A workflow that is started and completes; waits for its result. `address`: host:port. */
export async function createEmptyWorkflow(address: string): Promise<Floor> {
  const temporal = await startTemporalParts({
    address,
    taskQueue: 'bench-empty',
    workflows: new URL('./workflows/floors.ts', import.meta.url),
  });
  let count = 0;
  return {
    once: async () => {
      const workflow = await temporal.start('empty', ++count, []);
      await workflow.result();
    },
    close: temporal.close,
  };
}
