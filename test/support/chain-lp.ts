import { expectStatus } from '../../demo/http.ts';
import { type LpOptions, newLp, type TestLp } from './actors.ts';
import type { TestCorridor } from './corridor.ts';

/** An LP that takes a token at an address on a chain; its collateral is on the simulated one. */
export async function lpOn(
  corridor: Pick<TestCorridor, 'anyone' | 'as'>,
  asset: { symbol: string; chain: string; address: string },
  options: LpOptions = {},
): Promise<TestLp> {
  const lp = await newLp(corridor, { ...options, asset: false });
  await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, asset));
  return { ...lp, address: asset.address };
}
