import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { NullActivities } from '../null-signals.ts';

export async function empty(): Promise<void> {}

const { nothing } = proxyLocalActivities<NullActivities>({ startToCloseTimeout: '10s' });
const stepSignal = defineSignal<[number]>('step');

/** Receives signals in sequence, as an order receives its commands, with an empty local activity for each. */
export async function nullSignals(order: number, steps: number): Promise<void> {
  const queue: number[] = [];
  setHandler(stepSignal, (step) => {
    queue.push(step);
  });
  for (let done = 0; done < steps; done++) {
    await condition(() => queue.length > 0);
    await nothing(order, queue.shift() as number);
  }
}
