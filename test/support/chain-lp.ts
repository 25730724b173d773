import { expectStatus } from '../../dev/http-client.ts';
import { type LpOptions, newLp, type TestLp } from './actors.ts';
import type { TestCorridor } from './corridor.ts';

/** Registers an LP that receives a token at an address on a chain. Its collateral is on the simulated chain. */
export async function lpOn(
  corridor: Pick<TestCorridor, 'anyone' | 'as'>,
  asset: { symbol: string; chain: string; address: string },
  options: LpOptions = {},
): Promise<TestLp> {
  const lp = await newLp(corridor, { ...options, asset: false });
  await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, asset));
  return { ...lp, address: asset.address };
}
