import { startTemporalParts } from '../alternatives/temporal.ts';
import type { Baseline } from './baseline.ts';

/** Starts a workflow that completes immediately, and waits for its result. `address`: host:port. */
export async function createEmptyWorkflow(address: string): Promise<Baseline> {
  const temporal = await startTemporalParts({
    address,
    taskQueue: 'bench-empty',
    workflows: new URL('./workflows/baselines.ts', import.meta.url),
  });
  let count = 0;
  return {
    once: async () => {
      const workflow = await temporal.start('empty', ++count);
      await workflow.result();
    },
    close: temporal.close,
  };
}
