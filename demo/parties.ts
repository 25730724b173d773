import { randomBytes } from 'node:crypto';
import { type Call, caller, expectStatus } from './http.ts';
import type { Scene } from './stage.ts';

/** An integrator's server, and a user to pay for. */
export interface DemoAgent {
  call: Call;
  userId: number;
}

export async function introduceAgent({ baseUrl, adminKey, tell, show }: Scene): Promise<DemoAgent> {
  const admin = caller(baseUrl, adminKey);
  tell('The admin makes a user and an agent key.');
  const user = await expectStatus(201, admin('POST', '/api/admin/users', { name: 'Demo payer' }));
  const key = await expectStatus(201, admin('POST', '/api/admin/agent-keys', { name: 'demo' }));
  show(`user ${user.id}, agent key ${key.id}`);
  return { call: caller(baseUrl, key.api_key), userId: user.id };
}

export interface LpTerms {
  name: string;
  /** Units of the currency for one USD. */
  rateUsd: number;
  currency?: string;
  /** USD that it can stand for. */
  collateralUsd?: number;
  /** Where it takes USDT; an address on the simulated chain, if nothing else is said. */
  asset?: { chain: string; address: string };
}

export interface DemoLp {
  name: string;
  id: number;
  call: Call;
  /** Where its own routes begin; has its key in it. */
  own: string;
  address: string;
}

/** An LP that is ready to claim: registered, with a receive address and collateral. */
export async function introduceLp(
  { baseUrl, show }: Scene,
  {
    name,
    rateUsd,
    currency = 'KES',
    collateralUsd = 500,
    asset = { chain: 'trx', address: `T${randomBytes(16).toString('hex')}` },
  }: LpTerms,
): Promise<DemoLp> {
  const registered = await expectStatus(
    201,
    caller(baseUrl)('POST', '/api/lp/register', {
      xrpl_address: 'rDemoLiquidityProvider11111111',
      mpesa_phone: '+254700000002',
      display_name: name,
      supported_currencies: { [currency]: rateUsd },
      spread_bps: 40,
    }),
  );
  const call = caller(baseUrl, registered.lp_key);
  const own = `/api/lp/${registered.lp_key}`;
  await expectStatus(201, call('POST', `${own}/assets`, { symbol: 'usdt', ...asset }));
  const deposit = await expectStatus(
    200,
    call('POST', `${own}/collateral/deposit`, { amount: collateralUsd, asset: 'usdt' }),
  );
  await expectStatus(200, call('POST', `${own}/collateral/${deposit.deposit_id}/confirm`, {}));
  show(
    `${name} (LP ${registered.lp_id}): 1 USD = ${rateUsd} ${currency}, ${collateralUsd} USD of collateral`,
  );
  return { name, id: registered.lp_id, call, own, address: asset.address };
}
