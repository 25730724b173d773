import type { TestCorridor } from './corridor.ts';

/**
 * Copies an open order `many` times, 1,000 with one statement. The copies have no workflow, so only a Corridor without a worker
 * can use them. `prefix`: of their payment ids, if several orders are copied.
 */
export async function copiesOf(
  { db }: Pick<TestCorridor, 'db'>,
  orderId: number,
  many: number,
  prefix = '',
): Promise<void> {
  for (let first = 1; first <= many; first += 1_000)
    await copyOrder(db, orderId, first, Math.min(many, first + 999), prefix);
}

const copyOrder = (db: TestCorridor['db'], orderId: number, first: number, last: number, prefix: string) =>
  db.query(
    'test-copies',
    `with made as (
       insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
       select 'copy-' || $4 || n, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto + 1000 * n, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
       from orders, generate_series($2::int, $3::int) n where id = $1 returning id, amount_crypto
     )
     insert into order_event (order_id, seq, status, actor, cause, snapshot)
     select made.id, 1, 'matched', 'agent:1', 'pay', event.snapshot || jsonb_build_object('id', made.id, 'amount_crypto', made.amount_crypto)
     from made, order_event event where event.order_id = $1 and event.seq = 1`,
    [orderId, first, last, prefix],
  );
