import { randomBytes } from 'node:crypto';
import { type Call, type Callers, expectStatus } from './http-client.ts';

export interface RegisteredAgent {
  call: Call;
  key: string;
  keyId: number;
  /** Signs its webhooks, besides the installation's secret. */
  webhookSecret: string;
  /** A user for whom the agent pays. */
  userId: number;
}

interface AgentRegistration {
  /** The name of the key. */
  key: string;
  user?: string;
  /** Its limit; 0: none; missing: the default. */
  maxExposureUsd?: number;
  /** ISO 8601; missing: the key does not expire. */
  expiresAt?: string | undefined;
}

/** Creates an agent key, and a user for whom to pay. */
export async function registerAgent(
  { admin, as }: Pick<Callers, 'admin' | 'as'>,
  { key: name, user: payer, maxExposureUsd, expiresAt }: AgentRegistration,
): Promise<RegisteredAgent> {
  const user = await expectStatus(201, admin('POST', '/api/admin/users', { name: payer }));
  const body = { name, max_exposure_usd: maxExposureUsd, expires_at: expiresAt };
  const key = await expectStatus(201, admin('POST', '/api/admin/agent-keys', body));
  const { api_key, id: keyId, webhook_secret: webhookSecret } = key;
  return { call: as(api_key), key: api_key, keyId, webhookSecret, userId: user.id };
}

export interface LpRegistration {
  name?: string;
  currency: string;
  /** Units of the currency for one USD. */
  rateUsd: number;
  spreadBps: number;
  /** USD; 0: no deposit. */
  collateralUsd: number;
  /** The chain and address where it receives USDT; null: none. */
  asset: { chain: string; address: string } | null;
}

export interface RegisteredLp {
  call: Call;
  key: string;
  id: number;
  /** The path prefix of its own routes, which contains its key. */
  own: string;
}

/** Registers an LP with an address for USDT and collateral. */
export async function registerLp(
  { anyone, as }: Pick<Callers, 'anyone' | 'as'>,
  { name, currency, rateUsd, spreadBps, collateralUsd, asset }: LpRegistration,
): Promise<RegisteredLp> {
  const { lp_key: key, lp_id: id } = await expectStatus(
    201,
    anyone('POST', '/api/lp/register', {
      xrpl_address: 'rTestLiquidityProvider11111111',
      mpesa_phone: '+254711000001',
      display_name: name,
      supported_currencies: { [currency]: rateUsd },
      spread_bps: spreadBps,
    }),
  );
  const lp = { call: as(key), key, id, own: `/api/lp/${key}` };
  if (asset) await expectStatus(201, lp.call('POST', `${lp.own}/assets`, { symbol: 'usdt', ...asset }));
  if (collateralUsd > 0) await deposit(lp, collateralUsd);
  return lp;
}

/** Publishes or changes the LP's terms for a corridor, as `POST /api/lp/{lp_key}/terms` describes. */
export async function publishTerms(
  { call, own }: Pick<RegisteredLp, 'call' | 'own'>,
  terms: { currency: string; method?: string } & Record<string, unknown>,
): Promise<void> {
  await expectStatus(200, call('POST', `${own}/terms`, terms));
}

/** Deposits collateral in USDT, and confirms the deposit. */
export async function deposit(
  { call, key }: Pick<RegisteredLp, 'call' | 'key'>,
  amount: number,
): Promise<void> {
  const path = `/api/lp/${key}/collateral`;
  const { deposit_id } = await expectStatus(200, call('POST', `${path}/deposit`, { amount, asset: 'usdt' }));
  await expectStatus(200, call('POST', `${path}/${deposit_id}/confirm`, {}));
}

/** A new address on the simulated chain `trx`. */
export const sandboxAddress = (): string => `T${randomBytes(16).toString('hex')}`;
