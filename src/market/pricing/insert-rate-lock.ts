import type { RateLock } from '../../db/entities/rate-lock.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import type { AmountRange } from '../../domain/exact-amount.ts';
import { amountsExhausted, freeAmount, untilReserved } from './draw-amount.ts';
import type { PaymentQuote } from './quote-payment.ts';

const INSERT = statement(
  'rate-lock',
  `with drawn as materialized (select ${freeAmount('order')} as amount),
  reserved as (
    insert into reserved_amount (chain, symbol, purpose, amount, rate_lock_id, expires_at)
    select $chain, $symbol, 'order', amount, $id, now() + $lifetime::float8 * interval '1 ms'
    from drawn where amount is not null
    on conflict (chain, symbol, purpose, amount) do update
      set order_id = null, rate_lock_id = excluded.rate_lock_id, withdrawal_id = null, expires_at = excluded.expires_at
      where reserved_amount.expires_at <= now()
    returning amount, expires_at
  ),
  lock as (
    insert into rate_lock (id, agent_key_id, lp_id, amount_fiat, currency, method, rate_usd, spread_bps, amount_usd, fee_usd,
      amount_crypto, crypto_symbol, crypto_chain, expires_at)
    select $id, $agent_key_id, $lp_id, $amount_fiat, $currency, $method, $rate_usd, $spread_bps, $amount_usd, $fee_usd,
      amount, $symbol, $chain, expires_at
    from reserved
  )
  select drawn.amount as drawn, reserved.amount, reserved.expires_at from drawn left join reserved on true`,
);

interface InsertedRow extends Record<string, unknown> {
  drawn: string | null;
  amount: string | null;
  expires_at: Date | string | null;
}

/**
 * Inserts a rate lock and reserves its exact amount, in one statement. `lifetime` in ms, by the database's clock. Returns the
 * amount and the end of the lock. Refuses with `amounts_exhausted` if none is free.
 */
export function insertRateLock(
  db: Database,
  lock: Pick<RateLock, 'id' | 'agent_key_id'> & { lifetime: number },
  quote: PaymentQuote,
  amounts: AmountRange,
): Promise<{ amount: string; expires_at: Date }> {
  const { amount_crypto: _price, crypto_symbol: symbol, crypto_chain: chain, ...terms } = quote;
  return untilReserved(async () => {
    const given = { ...lock, ...terms, ...amounts, symbol, chain };
    const [row] = await run<InsertedRow>(db, INSERT, given);
    if (!row?.drawn) throw amountsExhausted('order', amounts, { symbol, chain });
    const { amount, expires_at } = row;
    return amount === null || expires_at === null
      ? 'amount_taken'
      : { amount, expires_at: new Date(expires_at) };
  });
}
