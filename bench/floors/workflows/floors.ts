import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow';
import type { NullActivities } from '../null-signals.ts';

/** Started and done. */
export async function empty(): Promise<void> {}

const { nothing } = proxyLocalActivities<NullActivities>({ startToCloseTimeout: '10s' });
const stepSignal = defineSignal<[number]>('step');

/** As an order hears its commands: one signal after the other, and a local activity for each, which does nothing. */
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
