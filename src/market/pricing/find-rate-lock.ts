import type { RateLock } from '../../db/entities/rate-lock.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { coolingLps } from '../lps/cool-down.ts';
import { requiredCollateral } from '../lps/required-collateral.ts';
import { isOfferedUnder } from '../lps/serves-order.ts';

export type FoundRateLock = Omit<RateLock, 'agent_key_id' | 'expires_at' | 'created_at'> & {
  has_expired: boolean;
  /** Some LP would be offered the order of the lock now, and could claim it. */
  is_claimable: boolean;
};

/**
 * The price of a lock holds for any LP, and each LP decides whether to claim at that price. So a lock is useless only if no LP
 * could claim. The LPs' rates do not matter here, and may have expired, as for every offer.
 */
const FIND = statement(
  'rate-lock-find',
  `select lock.id, lock.lp_id, lock.amount_fiat, lock.currency, lock.method, lock.rate_usd, lock.spread_bps, lock.amount_usd,
    lock.fee_usd, lock.amount_crypto, lock.crypto_symbol, lock.crypto_chain, lock.order_id, lock.expires_at <= now() as has_expired,
    exists (
      select from lp_term term
      join lp on lp.id = term.lp_id and lp.status = 'approved'
      join lp_asset asset on asset.lp_id = lp.id and asset.symbol = lock.crypto_symbol and asset.chain = lock.crypto_chain
      join lp_collateral collateral on collateral.lp_id = lp.id
      where ${isOfferedUnder('term', 'payout')} and lp.id not in (${coolingLps('$coolDown')})
        and collateral.available >= ${requiredCollateral('lock.amount_usd', 'lp.tier')}
    ) as is_claimable
  from rate_lock lock
  cross join lateral (select lock.currency, lock.amount_fiat, $corridorMethod::varchar as corridor_method) payout
  where lock.id = $id and lock.agent_key_id = $agentKeyId`,
);

/** Finds a rate lock. Undefined if there is none, or if it is another agent's. `coolDown`: the first one after a strike, in ms. */
export async function findRateLock(
  db: Database,
  lock: { id: string; agentKeyId: number; corridorMethod: string; coolDown: number },
): Promise<FoundRateLock | undefined> {
  const [row] = await run<FoundRateLock>(db, FIND, lock);
  return row;
}
