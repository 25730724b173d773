import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createCaller, expectStatus } from '../../dev/http-client.ts';
import { type Agent, newLp, newUnlimitedAgent, type TestLp } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { ADMIN_KEY, type Service } from './installation.ts';

export interface Actors {
  agents: Agent[];
  /** The last LP claims orders in UGX automatically. */
  lps: TestLp[];
  /** The last transaction that paid an order. Other orders try to use it as well. */
  paidWith: { hash?: string | undefined };
}

const LPS = 4;

/** Creates agents and LPs before the faults begin. */
export async function createActors({ baseUrls }: Service): Promise<Actors> {
  const [baseUrl = ''] = baseUrls;
  const corridor = {
    admin: createCaller(baseUrl, ADMIN_KEY),
    anyone: createCaller(baseUrl),
    as: (key: string) => createCaller(baseUrl, key),
  };
  for (const url of baseUrls)
    await eventually(
      () =>
        createCaller(url)('GET', '/readyz').then(
          ({ status }) => status === 200,
          () => false,
        ),
      120_000,
    );
  const agents = await several(2, () => newUnlimitedAgent(corridor));
  const lps = await several(LPS, () => newLp(corridor, { collateral: 100_000 }));
  // Can claim the orders that the automatic LP abandons.
  const [spare] = await several(1, () =>
    newLp(corridor, { currency: 'UGX', rate: 3_600, collateral: 100_000 }),
  );
  const [automatic] = await several(1, async () => {
    const lp = await newLp(corridor, { currency: 'UGX', rate: 3_700, collateral: 100_000 });
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
    return lp;
  });
  return { agents, lps: [...lps, spare as TestLp, automatic as TestLp], paidWith: {} };
}

const TRIES = 10;

/** Creates actors. A process may already crash at a crash point; the actor is then created again. */
async function several<T>(count: number, make: () => Promise<T>): Promise<T[]> {
  const made: T[] = [];
  for (let tries = 1; made.length < count; tries++) {
    const one = await make().catch(async (error) => {
      if (tries >= TRIES) throw error;
      await delay(2_000);
    });
    if (one !== undefined) made.push(one);
  }
  return made;
}

export const randomHash = (): string => randomBytes(32).toString('hex');
