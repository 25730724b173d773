import { afterAll } from '@jest/globals';
import { startCorridor, type TestCorridor, type TestOptions } from './corridor.ts';

/** Starts a Corridor for all tests of the calling file, and stops it after them. Await it at the top of the file. */
export async function useCorridor(options: TestOptions = {}): Promise<TestCorridor> {
  const corridor = await startCorridor(options);
  afterAll(() => corridor.stop());
  return corridor;
}
