import type { TestCorridor } from './corridor.ts';

/** Copies an open order `many` times with one statement. The copies have no workflow, so only a Corridor without a worker can use them. */
export const copiesOf = ({ db }: Pick<TestCorridor, 'db'>, orderId: number, many: number): Promise<unknown> =>
  db.query(
    'test-copies',
    `with made as (
       insert into orders (payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms)
       select 'copy-' || n, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd,
         fee_usd, amount_crypto + 1000 * n, crypto_symbol, crypto_chain, recipient, method, corridor_method, status, expires_at, timeout_at, stage_ms
       from orders, generate_series(1, $2::int) n where id = $1 returning id, amount_crypto
     )
     insert into order_event (order_id, seq, status, actor, cause, snapshot)
     select made.id, 1, 'matched', 'agent:1', 'pay', event.snapshot || jsonb_build_object('id', made.id, 'amount_crypto', made.amount_crypto)
     from made, order_event event where event.order_id = $1 and event.seq = 1`,
    [orderId, many],
  );
