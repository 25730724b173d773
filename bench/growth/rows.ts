import { ACCOUNTS, type OrderPurpose } from '../../src/db/ledger/accounts.ts';
import { MISSED_DEADLINE } from '../../src/domain/order-state.ts';
import type { ViewColumn } from '../../src/domain/order-view.ts';
import { reasonOf, reasonText } from '../../src/domain/status-reasons.ts';
import { snapshot } from '../../src/orders/order-state-row.ts';
import { CURRENCIES } from './actors.ts';

/** Statements that insert thousands of orders. Each row equals the one that Corridor's own steps would have left. */

/** A step of a lifecycle (`lifecycles.ts`) with the state of the order's row after it. */
export interface LifecycleStep {
  live: boolean;
  /** The index of the lifecycle. */
  lifecycle: number;
  seq: number;
  last: boolean;
  from_status: string | null;
  status: string;
  cause: string;
  by: string;
  minutes: number;
  lp: string | null;
  /** The LP has claimed the order, not only been quoted. */
  held: boolean;
  /** The claim of the first LP has failed. */
  failed_claim: boolean;
  /** Settlement transactions submitted so far, and whether the row holds the last one. */
  transactions: number;
  named: boolean;
}

export const TABLES = `
  create temp table lifecycle_step (
    live boolean, lifecycle int, seq int, last boolean, from_status varchar, status varchar, cause varchar, by text,
    minutes int, lp text, held boolean, failed_claim boolean, transactions int, named boolean
  );
  create temp table made (
    id bigint, live boolean, lifecycle int, agent_key_id bigint, user_id bigint, callback_url varchar, payment_id varchar,
    first_lp bigint, first_address varchar, second_lp bigint, second_address varchar, currency varchar,
    rate_usd numeric(20,8), spread_bps int, amount_fiat numeric(18,2), amount_usd numeric(20,6), fee_usd numeric(20,6),
    amount_crypto numeric(28,12), collateral numeric(20,6), recipient varchar, created_at timestamptz
  );`;

export const KNOWN_LIFECYCLES =
  'insert into lifecycle_step select * from json_populate_recordset(null::lifecycle_step, $1)';

const currencies = Object.keys(CURRENCIES);
const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const rates = Object.values(CURRENCIES).map(([rate]) => rate);
/** The first of a hundred orders in each currency. */
const currencyFrom = Object.values(CURRENCIES).map((_, i, all) =>
  all.slice(0, i).reduce((sum, [, percent]) => sum + percent, 0),
);

/**
 * Inserts orders $1 to $2. $3: whether they are live. $4: creation time of order 0 in ms since 1970; $5: ms between two.
 * $6: the first of a thousand orders with each lifecycle. $7 to $10: agents, their users, LPs, their addresses; the first
 * of them have the most orders. The last six digits of a live order's amount make it unique. Without randomness, each run has the same rows.
 */
export const MAKE = `
  insert into made
  select n, $3, width_bucket(for_lifecycle, $6::int[]) - 1, ($7::bigint[])[agent], ($8::bigint[])[agent],
    case when agent % 2 = 0 then 'https://shop-' || agent || '.example/hooks/corridor' end,
    'pay_' || substr(md5('pay' || n), 1, 24),
    ($9::bigint[])[lp], ($10::varchar[])[lp], ($9::bigint[])[other], ($10::varchar[])[other],
    (array[${list(currencies)}])[money], rate, lp, fiat, usd, fee,
    ceil((usd + usd * lp / 10000 + fee) * 1000000) / 1000000 + case when $3 then n % 1000000 / 1000000000000.0 else 0 end,
    ceil(usd * 100) / 100,
    '+2547' || lpad((n * 7919 % 100000000)::text, 8, '0'),
    to_timestamp(($4::float8 + n * $5::float8) / 1000)::timestamptz(3)
  from generate_series($1::bigint, $2::bigint) n,
    lateral (
      select (n * 617 % 1000)::int as for_lifecycle, (n * 389 % 1009) / 1009.0 as for_agent, (n * 173 % 1013) / 1013.0 as for_lp,
        (n * 37 % 100)::int as for_money, 5 + (n * 271 % 7919) / 50.0 as worth
    ) dice,
    lateral (
      select 1 + floor(cardinality($7::bigint[]) * for_agent * for_agent)::int as agent,
        1 + floor(cardinality($9::bigint[]) * for_lp * for_lp)::int as lp,
        width_bucket(for_money, '{${currencyFrom}}'::int[]) as money
    ) place,
    lateral (select lp % cardinality($9::bigint[]) + 1 as other, ('{${rates}}'::numeric[])[money] as rate) terms,
    lateral (select round(worth * rate, 2) as fiat) payout,
    lateral (select ceil(fiat / rate * 1000000) / 1000000 as usd) worth,
    lateral (select ceil(usd * 50 / 10000 * 100) / 100 as fee) charge`;

export const COUNT_EVENTS = `
  select count(*)::int as events, pg_snapshot_xmax(pg_current_snapshot())::text as xid
  from made join lifecycle_step using (live, lifecycle)`;

/** The hash of the nth transaction of an order. */
const hash = (id: string, nth: string) => `md5(${id} || '/' || ${nth}) || md5(${nth} || '/' || ${id})`;
const available = (lp: string) => `'${ACCOUNTS.lpAvailable(`' || ${lp} || '`)}'`;
const locked = (lp: string) => `'${ACCOUNTS.lpLocked(`' || ${lp} || '`)}'`;

/** The columns that steps change, of the order `m` after step `s` at the time `at`. */
const CHANGED = `
  select case s.lp when 'first' then m.first_lp when 'second' then m.second_lp end as lp_id,
    case when s.held then case s.lp when 'first' then m.first_address else m.second_address end end as lp_receive_address,
    case when s.named then ${hash('m.id', 's.transactions')} end as user_crypto_tx_hash,
    at + case when s.status in ('completed', 'cancelled', 'disputed') then null
      when m.live then interval '24 hours' when s.status = 'matched' then interval '15 minutes'
      when s.status = 'claimed' then interval '30 minutes' else interval '24 hours' end as timeout_at,
    case s.status when 'completed' then at end as completed_at,
    case s.status when 'cancelled' then at end as cancelled_at`;
const CHANGING = [
  'lp_id',
  'lp_receive_address',
  'user_crypto_tx_hash',
  'timeout_at',
  'completed_at',
  'cancelled_at',
] as const satisfies ViewColumn[];

/** The part of an event's `snapshot` that no step changes, built once per order. */
const KEPT_BY_ALL = `
  select m.*, ${snapshot('v')} as kept
  from made m, lateral (
    select m.id, m.user_id, 'payout' as type, m.amount_fiat, m.currency, m.amount_usd, m.amount_crypto,
      'usdt' as crypto_symbol, 'trx' as crypto_chain, null as destination_tag, m.spread_bps, m.fee_usd, m.created_at, m.callback_url,
      null as status, null as receipt_url, ${CHANGING.map((column) => `null as ${column}`).join(', ')}
  ) v
  -- Without this, PostgreSQL would inline the subquery and build it once per event.
  offset 0`;
const CHANGED_IN_JSON = ['status', ...CHANGING]
  .map((column) => `'${column}', ${column === 'status' ? 's' : 'v'}.${column}`)
  .join(', ');

/** A transfer for each event that satisfies `due`. */
const transfer = (purpose: OrderPurpose, due: string, debit: string, credit: string, amount: string) =>
  `select xid, '${purpose}' as purpose, id, seq, ${debit} as debit, ${credit} as credit, ${amount} as amount, at
   from story where ${due}`;

const REASON = `case reason_code ${[MISSED_DEADLINE.claim, MISSED_DEADLINE.fiat]
  .map((code) => `when '${code}' then '${reasonText(reasonOf(code))}'`)
  .join(' ')} end`;

/** Inserts all rows of the orders in \`made\`. $1: the transaction id of the first event. */
export const FILL = `
  with story as materialized (
    select m.*, s.seq, s.last, s.from_status, s.status, s.cause, s.failed_claim, s.transactions, s.named, s.held, v.*, at,
      case s.by when 'agent' then 'agent:' || m.agent_key_id when 'first' then 'lp:' || m.first_lp
        when 'second' then 'lp:' || m.second_lp else s.by end as actor,
      case when s.cause = 'deadline' and s.from_status = 'matched' then '${MISSED_DEADLINE.claim}'
        when s.cause = 'deadline' then '${MISSED_DEADLINE.fiat}' end as reason_code,
      ($1::bigint + row_number() over (order by at, m.id, s.seq) - 1)::text::xid8 as xid,
      kept || jsonb_build_object(${CHANGED_IN_JSON}) as snapshot
    from (${KEPT_BY_ALL}) m
    join lifecycle_step s on s.live = m.live and s.lifecycle = m.lifecycle,
    lateral (select m.created_at + s.minutes * interval '1 minute' as at) moment,
    lateral (${CHANGED}) v
    order by at, m.id, s.seq
  ),
  o as (
    insert into orders (
      id, payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd, fee_usd,
      amount_crypto, crypto_symbol, crypto_chain, recipient, method, corridor_method, callback_url, status, status_reason, status_reason_code, version,
      lp_receive_address, collateral_locked, user_crypto_tx_hash, slashed_usd, reoffers, excluded_lp_ids, rejections,
      rejected_tx_hashes, expires_at, timeout_at, stage_ms, created_at, completed_at, cancelled_at
    )
    select id, payment_id, agent_key_id, user_id, lp_id, amount_fiat, currency, rate_usd, spread_bps, amount_usd, fee_usd,
      amount_crypto, 'usdt', 'trx', recipient, 'mobile_money', 'mobile_money', callback_url, status, ${REASON}, reason_code, seq,
      lp_receive_address, case when held then collateral end, user_crypto_tx_hash,
      case when cause = 'resolve' then 0 end, failed_claim::int, case when failed_claim then array[first_lp] else '{}' end,
      greatest(0, transactions - 1), array(select ${hash('story.id', 'nth')} from generate_series(1, transactions - 1) nth),
      created_at + case when live then interval '24 hours' else interval '15 minutes' end, timeout_at,
      array_fill(900000::bigint, array[5]), created_at,
      completed_at, cancelled_at
    from story where last order by id
  ),
  reserved as (
    insert into reserved_amount (chain, symbol, purpose, amount, order_id)
    select 'trx', 'usdt', 'order', amount_crypto, id from story where last and live
  ),
  event as (
    insert into order_event (order_id, seq, from_status, status, actor, cause, reason, reason_code, snapshot, xid, created_at)
    select id, seq, from_status, status, actor, cause, ${REASON}, reason_code, snapshot, xid, at from story order by xid
  ),
  outcome as (
    insert into order_outcome (request_id, order_id, result, status, created_at)
    select gen_random_uuid(), id, 'applied', status, at from story
    where seq > 1 and at > now() - interval '1 day' order by xid
  ),
  posting as (
    insert into ledger_transfer (key, debit, credit, amount, order_id, created_at)
    select 'order/' || id || '/' || seq || '/' || purpose, debit, credit, amount, id, at
    from (
      ${[
        transfer('lock', `status = 'claimed'`, available('lp_id'), locked('lp_id'), 'collateral'),
        transfer(
          'release',
          `from_status = 'claimed' and status = 'matched'`,
          ...([locked('first_lp'), available('first_lp'), 'collateral'] as const),
        ),
        transfer('release', `status = 'completed'`, locked('lp_id'), available('lp_id'), 'collateral'),
        transfer('fee', `status = 'completed'`, available('lp_id'), `'${ACCOUNTS.platformFees}'`, 'fee_usd'),
      ].join(' union all ')}
    ) transfer
    order by xid, purpose desc
  ),
  used as (
    insert into chain_transaction (chain, tx_hash, order_id, created_at)
    select 'trx', user_crypto_tx_hash, id, at from story where status = 'completed' and named order by xid
  ),
  verdict as (
    insert into payment_verdict (order_id, version, chain, tx_hash, kind, created_at)
    select id, seq - 1, 'trx', user_crypto_tx_hash, 'verified', at from story
    where status = 'completed' and named order by xid
  ),
  strike as (
    insert into lp_strike (order_id, seq, lp_id, created_at)
    select id, seq, first_lp, at from story where cause = 'deadline' and from_status = 'claimed'
  ),
  idempotency as (
    insert into idempotency_key (agent_key_id, key, request_hash, order_id, response, created_at)
    select agent_key_id, 'payment-' || id, sha256(payment_id::bytea), id,
      jsonb_build_object(
        'payment_id', payment_id, 'order_id', id, 'status', 'matched', 'rate', '1 USD = ' || rate_usd || ' ' || currency,
        'crypto_required', jsonb_build_object('amount', amount_crypto, 'symbol', 'usdt', 'chain', 'trx'),
        'fiat_delivery', jsonb_build_object('amount', amount_fiat, 'currency', currency, 'recipient', '+2••••••••78',
          'recipient_name', null, 'method', 'mobile_money'),
        'deposit_address', null, 'lp', jsonb_build_object('id', first_lp, 'rate', rate_usd), 'callback_url', callback_url,
        'expires_at', timeout_at, 'track_url', 'https://corridor.example/api/orders/' || id
      ), at
    from story where seq = 1 and id % 5 <> 0
  ),
  quoted as (
    insert into rate_lock (
      id, agent_key_id, lp_id, amount_fiat, currency, method, rate_usd, spread_bps, amount_usd, fee_usd, amount_crypto,
      crypto_symbol, crypto_chain, expires_at, order_id, created_at
    )
    select 'rl_' || substr(${hash('id', `'lock'`)}, 1, 48), agent_key_id, first_lp, amount_fiat, currency, 'mobile_money', rate_usd,
      spread_bps, amount_usd, fee_usd, amount_crypto, 'usdt', 'trx', at + interval '4 minutes', id, at - interval '1 minute'
    from story where seq = 1 and id % 10 = 0
  ),
  webhook as materialized (
    select *, case when id % 200 = 0 then 3 else 1 end as attempts from story
    where callback_url is not null and status <> from_status
  ),
  delivery as (
    insert into webhook_delivery (order_id, seq, state, body, attempts, created_at, finished_at)
    select id, seq, case attempts when 1 then 'delivered' else 'exhausted' end,
      json_build_object('event', 'order.status_changed', 'order_id', id, 'status', status, 'timestamp', at,
        'data', jsonb_strip_nulls(snapshot)),
      attempts, at, at + interval '1 second' from webhook order by xid
    returning id, attempts, finished_at
  )
  insert into webhook_attempt (delivery_id, attempt, status_code, duration_ms, created_at)
  select id, attempt, case attempts when 1 then 200 else 500 end, 80, finished_at
  from delivery, generate_series(1, attempts) attempt order by id, attempt`;

/** Sets the balances to the sums of the transfers. */
export const BALANCES = `
  with balance as (
    select account, sum(amount) as amount
    from (
      select credit as account, amount from ledger_transfer union all select debit, -amount from ledger_transfer
    ) side
    group by account
  )
  update lp_collateral l
  set available = (select amount from balance where account = ${available('l.lp_id')}),
    locked = coalesce((select amount from balance where account = ${locked('l.lp_id')}), 0)`;
