import { expect } from '@jest/globals';
import { checkInvariants } from '../../src/invariants/check.ts';
import type { TestCorridor } from './corridor.ts';
import { untilStill } from './still.ts';

/** What is mended is mended within this, also on a machine that is short of everything. */
const AGREE_WITHIN_MS = 90_000;

/** All that Corridor promises holds; an order that has just moved is not compared with its workflow. */
export async function expectSound({ db, shared: { gateway, log } }: TestCorridor): Promise<void> {
  expect(await checkInvariants({ db, gateway, log, agreeWithinMs: AGREE_WITHIN_MS })).toEqual([]);
}

/** All that Corridor promises holds of everything, the orders that moved last among it. */
export async function expectSoundWhenStill(corridor: TestCorridor): Promise<void> {
  await untilStill((text) => corridor.db.query('still', text, []));
  await expectSound(corridor);
}
