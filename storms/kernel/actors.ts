import { randomBytes } from 'node:crypto';
import { createCaller, expectStatus } from '../../dev/http-client.ts';
import { type Agent, newLp, newUnlimitedAgent, type TestLp } from '../../test/support/actors.ts';
import { eventually } from '../../test/support/eventually.ts';
import { ADMIN_KEY, type Service } from './service.ts';

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
  for (const url of baseUrls) await untilReady(url);
  const create = <T>(make: () => Promise<T>) => createdBy(baseUrl, make);
  const agents: Agent[] = [];
  while (agents.length < 2) agents.push(await create(() => newUnlimitedAgent(corridor)));
  const lps: TestLp[] = [];
  while (lps.length < LPS) lps.push(await create(() => newLp(corridor, { collateral: 100_000 })));
  // Can claim the orders that the automatic LP abandons.
  const spare = await create(() => newLp(corridor, { currency: 'UGX', rate: 3_600, collateral: 100_000 }));
  const automatic = await create(async () => {
    const lp = await newLp(corridor, { currency: 'UGX', rate: 3_700, collateral: 100_000 });
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/auto-claim`, { enabled: true }));
    return lp;
  });
  return { agents, lps: [...lps, spare, automatic], paidWith: {} };
}

const TRIES = 10;

/** Creates an actor. The API may already crash at a crash point; once it runs again, the actor is created again. */
async function createdBy<T>(baseUrl: string, make: () => Promise<T>): Promise<T> {
  for (let left = TRIES - 1; left > 0; left--) {
    try {
      return await make();
    } catch {
      await untilReady(baseUrl);
    }
  }
  return make();
}

async function untilReady(baseUrl: string): Promise<void> {
  const isReady = () =>
    createCaller(baseUrl)('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  await eventually(isReady, 120_000);
}

export const randomHash = (): string => randomBytes(32).toString('hex');
