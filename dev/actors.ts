import type { Context } from './context.ts';
import { type Call, createCallers } from './http-client.ts';
import { publishTerms, registerAgent, registerLp, sandboxAddress } from './registration.ts';

/** An integrator's server, and a user for whom it pays. */
export interface DemoAgent {
  call: Call;
  userId: number;
}

/** `key`: the name and the end of its agent key. */
export async function createAgent(
  { baseUrl, adminKey, narrate, print, onWait }: Context,
  key: { name: string; expiresAt?: string } = { name: 'demo' },
): Promise<DemoAgent> {
  narrate('The admin creates a user and an agent key.');
  const callers = createCallers(baseUrl, adminKey, onWait);
  const { name, expiresAt } = key;
  const agent = await registerAgent(callers, { key: name, user: 'Demo payer', expiresAt });
  print(`user ${agent.userId}, agent key ${agent.keyId}`);
  return agent;
}

export interface LpTerms {
  name: string;
  /** Units of the currency for one USD. */
  rateUsd: number;
  currency?: string;
  collateralUsd?: number;
  /** Its float for each method, in the currency. By default: the default method, uncounted. */
  floats?: Record<string, number>;
  /** The chain and address where it receives USDT; by default a new address on the simulated chain. */
  asset?: { chain: string; address: string };
}

export interface DemoLp {
  name: string;
  id: number;
  call: Call;
  /** The path prefix of its own routes, which contains its key. */
  own: string;
  address: string;
}

/** An LP that is ready to claim: registered, with a receive address and collateral. */
export async function createLp(
  { baseUrl, adminKey, print, onWait }: Context,
  {
    name,
    rateUsd,
    currency = 'KES',
    collateralUsd = 500,
    floats = {},
    asset = { chain: 'trx', address: sandboxAddress() },
  }: LpTerms,
): Promise<DemoLp> {
  const terms = { name, currency, rateUsd, spreadBps: 40, collateralUsd, asset };
  const lp = await registerLp(createCallers(baseUrl, adminKey, onWait), terms);
  print(`${name} (LP ${lp.id}): 1 USD = ${rateUsd} ${currency}, ${collateralUsd} USD of collateral`);
  for (const [method, float] of Object.entries(floats)) {
    await publishTerms(lp, { currency, method, rate_usd: rateUsd, float });
    print(`  it can send ${float} ${currency} by ${method}`);
  }
  return { ...lp, name, address: asset.address };
}
