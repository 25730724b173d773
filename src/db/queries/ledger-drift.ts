import { ACCOUNTS, type LedgerPurpose } from '../../domain/ledger.ts';
import { UNSETTLED_STATUSES } from '../../domain/order-state.ts';
import type { Database } from '../orm.ts';

/** Something that the ledger and the rest of the database do not agree upon. Amounts are USD. */
export interface Drift {
  what: string;
  where: string;
  expected: string;
  found: string;
}

export interface LedgerCheck {
  what: string;
  /** How many accounts, orders, transfers … were looked at. */
  checked: number;
  drift: Drift[];
}

const ANY_LP = '*';
const available = ACCOUNTS.lpAvailable(ANY_LP);
const locked = ACCOUNTS.lpLocked(ANY_LP);
const withdrawing = ACCOUNTS.lpWithdrawing(ANY_LP);

/** The accounts that are sums, without a balance row. */
const SUMMED = [ACCOUNTS.outside, ACCOUNTS.platformFees, ACCOUNTS.platformSlashed];

type Accounts = [debit: string, credit: string];

const ORDER_KINDS: Record<LedgerPurpose, Accounts> = {
  lock: [available, locked],
  release: [locked, available],
  slash: [locked, ACCOUNTS.platformSlashed],
  fee: [available, ACCOUNTS.platformFees],
};

/** What money is moved for: a transfer's key without its numbers, and between which accounts. */
const KINDS: Record<string, Accounts> = {
  deposit: [ACCOUNTS.outside, available],
  'withdrawal/request': [available, withdrawing],
  'withdrawal/payout': [withdrawing, ACCOUNTS.outside],
  'withdrawal/return': [withdrawing, available],
  ...Object.fromEntries(Object.entries(ORDER_KINDS).map(([purpose, kind]) => [`order/${purpose}`, kind])),
};

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(', ');
const UNSETTLED = list(UNSETTLED_STATUSES);
const KIND_ROWS = Object.entries(KINDS).map((kind) => `(${list(kind.flat())})`);

/** An account's name in SQL, for the LP whose id an expression gives. */
const of = (account: (id: string) => string, id: string) => `'${account(`' || ${id} || '`)}'`;

/** What the checks read. PostgreSQL works out only those that one mentions. */
const VIEWS = `
  kind (kind, debit, credit) as (values ${KIND_ROWS.join(', ')}),
  posting as (
    select t.*, regexp_replace(key, '/\\d+', '', 'g') as kind, split_part(key, '/', 2) as source_id,
      (regexp_match(key, '^order/\\d+/(\\d{1,9})/'))[1]::int as version,
      (regexp_match(debit || ' ' || credit, 'lp:(\\d{1,18}):'))[1]::bigint as lp_id,
      coalesce('^' || (regexp_match(debit || ' ' || credit, 'lp:\\d+:'))[1], '^lp:-:') as any_lp
    from ledger_transfer t
  ),
  account as (
    select name, sum(amount) as balance
    from (
      select credit as name, amount from ledger_transfer union all select debit, -amount from ledger_transfer
    ) side
    group by name
  ),
  balance_row as (
    select ${of(ACCOUNTS.lpAvailable, 'lp_id')} as name, available as balance from lp_collateral
    union all select ${of(ACCOUNTS.lpLocked, 'lp_id')}, locked from lp_collateral
    union all select ${of(ACCOUNTS.lpWithdrawing, 'lp_id')}, withdrawing from lp_collateral
  ),
  move as (
    select order_id, seq, (snapshot ->> 'lp_id')::bigint as lp_id, status in (${UNSETTLED}) as claims
    from order_event
    where (status in (${UNSETTLED})) <> coalesce(from_status in (${UNSETTLED}), false)
  ),
  -- From the version that an LP's claim made to the one that ended it, if it has ended.
  claim as (
    select * from (
      select order_id, lp_id, claims, seq as begins, lead(seq) over moves as ends,
        not coalesce(bool_or(claims) over (moves rows between 1 following and unbounded following), false) as newest
      from move window moves as (partition by order_id order by seq)
    ) m where claims
  ),
  slice as (
    select c.*, case when c.newest then o.collateral_locked end as recorded,
      o.status in (${UNSETTLED}) as goes_on,
      coalesce(sum(p.amount) filter (where p.kind = 'order/lock'), 0) as locked,
      coalesce(sum(p.amount) filter (where p.kind <> 'order/lock'), 0) as freed
    from claim c
    join orders o on o.id = c.order_id
    left join posting p on p.order_id = c.order_id and p.lp_id = c.lp_id
      and (p.kind = 'order/lock' and p.version = c.begins
        or p.kind in ('order/release', 'order/slash') and p.version = c.ends)
    group by c.order_id, c.lp_id, c.claims, c.begins, c.ends, c.newest, o.collateral_locked, o.status
  )`;

const usd = (amount: string) => `trim_scale(${amount})::text`;

/** Each gives "where", expected and found, as text, for everything that it looks at. */
const CHECKS: Record<string, string> = {
  'accounts have known names': `
    select 'account ' || name as "where", 'a known account' as expected,
      case when name in (${list(SUMMED)}) or lp.id is not null then 'a known account' else 'unknown' end as found
    from account
    left join lp on name in (${of(ACCOUNTS.lpAvailable, 'lp.id')}, ${of(ACCOUNTS.lpLocked, 'lp.id')}, ${of(ACCOUNTS.lpWithdrawing, 'lp.id')})
      and lp.id = (regexp_match(name, '^lp:(\\d{1,18}):'))[1]::bigint`,
  'transfers are what their keys say': `
    select 'transfer ' || p.id || ' (' || p.key || ')' as "where",
      case when k.kind is null then 'a key of a known kind'
        else k.debit || ' to ' || k.credit || ' for ' || split_part(k.kind, '/', 1) || ' ' || source_id end as expected,
      regexp_replace(p.debit, p.any_lp, 'lp:*:') || ' to ' || regexp_replace(p.credit, p.any_lp, 'lp:*:') || ' for ' ||
        concat_ws(' and ', 'order ' || order_id, 'deposit ' || deposit_id, 'withdrawal ' || withdrawal_id) as found
    from posting p left join kind k using (kind)`,
  'all accounts add up to zero': `
    select 'all accounts' as "where", '0' as expected, ${usd('coalesce(sum(balance), 0)')} as found
    from (
      select balance from balance_row union all select balance from account where name in (${list(SUMMED)})
    ) every`,
  'balances are the sums of their transfers': `
    select 'account ' || name as "where", ${usd('coalesce(a.balance, 0)')} as expected,
      coalesce(${usd('r.balance')}, 'no balance') as found
    from balance_row r full join (select * from account where name like 'lp:%') a using (name)`,
  'no balance is below zero': `
    select 'account ' || name as "where", 'at least 0' as expected,
      case when balance < 0 then ${usd('balance')} else 'at least 0' end as found
    from (
      select name, balance from balance_row
      union select name, balance from account where name <> '${ACCOUNTS.outside}'
      -- No more has left than has come.
      union select name, -balance from account where name = '${ACCOUNTS.outside}'
    ) b`,
  'what is locked is the slices of the claims that go on': `
    select ${of(ACCOUNTS.lpLocked, 'lp_id')} as "where", ${usd('coalesce(o.slices, 0)')} as expected,
      coalesce(${usd('c.locked')}, 'no balance') as found
    from lp_collateral c full join (
      select lp_id, sum(collateral_locked) as slices from orders where status in (${UNSETTLED}) group by lp_id
    ) o using (lp_id)`,
  'what is being withdrawn is the open withdrawals': `
    select ${of(ACCOUNTS.lpWithdrawing, 'lp_id')} as "where", ${usd('coalesce(w.open, 0)')} as expected,
      coalesce(${usd('c.withdrawing')}, 'no balance') as found
    from lp_collateral c full join (
      select lp_id, sum(amount) as open from collateral_withdrawal where status = 'requested' group by lp_id
    ) w using (lp_id)`,
  'a claim locks its slice': `
    select 'order ' || order_id || ' claimed with version ' || begins as "where",
      coalesce(${usd('recorded')}, case when locked > 0 then ${usd('locked')} else 'a slice' end) || ' locked' as expected,
      ${usd('locked')} || ' locked' as found
    from slice`,
  'a slice is released or slashed when its claim ends': `
    select 'order ' || order_id || ' claimed with version ' || begins as "where",
      coalesce(${usd('locked')} || ' freed with version ' || ends,
        case when goes_on then '0' else ${usd('locked')} end || ' freed') as expected,
      coalesce(${usd('freed')} || ' freed with version ' || ends, '0 freed') as found
    from slice`,
  'nothing is locked, released or slashed besides': `
    select 'transfer ' || p.id || ' (' || p.key || ')' as "where", 'a claim of the LP that begins or ends' as expected,
      case when c.order_id is null then 'none' else 'a claim of the LP that begins or ends' end as found
    from posting p
    left join claim c on c.order_id = p.order_id and c.lp_id = p.lp_id
      and p.version = case p.kind when 'order/lock' then c.begins else c.ends end
    where p.kind in ('order/lock', 'order/release', 'order/slash')`,
  'a completed order has paid its fee, once': `
    select 'order ' || o.id as "where",
      case when o.status = 'completed' and o.fee_usd > 0 then ${usd('o.fee_usd')} || ' from LP ' || o.lp_id
        else 'no fee' end as expected,
      coalesce(f.fees, 'no fee') as found
    from orders o left join (
      select order_id, string_agg(${usd('amount')} || ' from LP ' || lp_id, ' and ' order by id) as fees
      from posting where kind = 'order/fee' group by order_id
    ) f on f.order_id = o.id`,
  'a confirmed deposit is credited, once': `
    select 'deposit ' || d.id as "where",
      case d.status when 'confirmed' then ${usd('d.amount')} || ' to LP ' || d.lp_id else 'not credited' end as expected,
      coalesce(t.credits, 'not credited') as found
    from collateral_deposit d left join (
      select deposit_id, string_agg(${usd('amount')} || ' to LP ' || lp_id, ' and ' order by id) as credits
      from posting where kind = 'deposit' group by deposit_id
    ) t on t.deposit_id = d.id`,
  'a withdrawal is reserved, then paid out or returned, once': `
    select 'withdrawal ' || w.id as "where",
      (select string_agg(purpose || ' of ' || ${usd('w.amount')} || ' by LP ' || w.lp_id, ', ' order by purpose)
       from unnest(case w.status when 'paid' then '{request,payout}' when 'rejected' then '{request,return}'
         else '{request}' end::text[]) as purpose) as expected,
      coalesce(t.transfers, 'no transfer') as found
    from collateral_withdrawal w left join (
      select withdrawal_id, string_agg(
          split_part(kind, '/', 2) || ' of ' || ${usd('amount')} || ' by LP ' || lp_id, ', ' order by split_part(kind, '/', 2)
        ) as transfers
      from posting where withdrawal_id is not null group by withdrawal_id
    ) t on t.withdrawal_id = w.id`,
};

const statement = (facts: string) => `
  with ${VIEWS}, fact as materialized (${facts})
  select (select count(*) from fact) as checked,
    coalesce((select json_agg(f order by "where") from fact f where expected is distinct from found), '[]') as drift`;

/** Reading a large ledger takes its time; nothing waits for it. */
const CHECK_WITHIN_MS = 600_000;

/**
 * Proves the ledger on a live database: all checks see one snapshot, and no statement that moves money is ever seen
 * half done. Changes nothing and locks nobody out.
 */
export async function checkLedger(db: Database): Promise<LedgerCheck[]> {
  const connection = await db.pool.connect();
  let broken = true;
  try {
    await connection.query('begin isolation level repeatable read, read only');
    const checks: LedgerCheck[] = [];
    for (const [what, facts] of Object.entries(CHECKS)) {
      // Whoever closes the database waits for this connection, but not for all of the proof.
      if (db.pool.ending) throw new Error('The database was closed during the proof of the ledger');
      const query = { text: statement(facts), query_timeout: CHECK_WITHIN_MS };
      const { rows } = await connection.query<Omit<LedgerCheck, 'what'>>(query);
      for (const { checked, drift } of rows) {
        checks.push({ what, checked, drift: drift.map((found) => ({ ...found, what })) });
      }
    }
    await connection.query('commit');
    broken = false;
    return checks;
  } finally {
    connection.release(broken);
  }
}

/** Everything that is not as it must be; of a sound ledger nothing. */
export const ledgerDrift = async (db: Database): Promise<Drift[]> =>
  (await checkLedger(db)).flatMap(({ drift }) => drift);
