import { randomBytes } from 'node:crypto';
import { caller } from '../../demo/http.ts';
import { type Agent, newAgent, newLp, type TestLp } from '../support/actors.ts';
import { eventually } from '../support/eventually.ts';
import { ADMIN_KEY, type Installation } from './installation.ts';

export interface Cast {
  agents: Agent[];
  /** The last of them claims what is paid in UGX by itself. */
  lps: TestLp[];
}

const LPS = 4;

/** Agents and LPs, made while everything is well. */
export async function gatherCast({ baseUrls }: Installation): Promise<Cast> {
  const [baseUrl = ''] = baseUrls;
  const corridor = {
    admin: caller(baseUrl, ADMIN_KEY),
    anyone: caller(baseUrl),
    as: (key: string) => caller(baseUrl, key),
  };
  for (const url of baseUrls)
    await eventually(
      () =>
        caller(url)('GET', '/readyz').then(
          ({ status }) => status === 200,
          () => false,
        ),
      120_000,
    );
  const agents = [await newAgent(corridor), await newAgent(corridor)];
  const lps: TestLp[] = [];
  for (let i = 0; i < LPS; i++) lps.push(await newLp(corridor, { collateral: 100_000 }));
  const automatic = await newLp(corridor, { currency: 'UGX', rate: 3_700, collateral: 100_000 });
  const { status } = await automatic.call('POST', `/api/lp/${automatic.key}/auto-claim`, { enabled: true });
  if (status !== 200) throw new Error(`auto-claim was answered ${status}`);
  // Whoever may be offered what the automatic one has let down.
  const spare = await newLp(corridor, { currency: 'UGX', rate: 3_600, collateral: 100_000 });
  return { agents, lps: [...lps, spare, automatic] };
}

export const aHash = (): string => randomBytes(32).toString('hex');
