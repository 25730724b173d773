import type { Chain } from '../../domain/assets.ts';
import type { Database } from '../orm.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

const RATE = `
  with rate as (
    insert into lp_rate (lp_id, currency, rate_usd) values ($1, $2, $3)
    on conflict (lp_id, currency) do update set rate_usd = excluded.rate_usd, updated_at = now()
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from rate')}
  select from rate`;

/** Publishes an LP's rate for a currency, in place of the one before. */
export async function publishRate(
  db: Database,
  lpId: number,
  { currency, rate_usd }: { currency: string; rate_usd: string },
): Promise<void> {
  await db.query('rate-publish', RATE, [lpId, currency, rate_usd]);
}

const ASSET = `
  with asset as (
    insert into lp_asset (lp_id, symbol, chain, address) values ($1, $2, $3, $4)
    on conflict (lp_id, symbol, chain) do update set address = excluded.address
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from asset')}
  select from asset`;

/** Registers where an LP takes a token, in place of the address before. */
export async function registerAsset(
  db: Database,
  lpId: number,
  { symbol, chain, address }: { symbol: string; chain: Chain; address: string },
): Promise<void> {
  await db.query('asset-register', ASSET, [lpId, symbol, chain, address]);
}
