import type { TestCorridor } from './corridor.ts';

/**
 * Makes calls that no worker can carry out, and returns their 503 without the wait of an installation. The commands stay in
 * Temporal, and a worker carries them out later.
 */
export async function unanswered<T>(
  { shared: { timeouts } }: Pick<TestCorridor, 'shared'>,
  calls: () => Promise<T>,
): Promise<T> {
  const { outcomeMs } = timeouts;
  timeouts.outcomeMs = 100;
  try {
    return await calls();
  } finally {
    timeouts.outcomeMs = outcomeMs;
  }
}
