import { ACCOUNTS, BALANCE_COLUMNS, TRANSFERS } from '../../../db/ledger/accounts.ts';
import type { Database } from '../../../db/orm.ts';
import { type CheckResult, type Checks, type Finding, findingsOf, runChecks } from '../finding.ts';
import { literals, UNSETTLED } from './sql.ts';

/** An account's name, for the LP with this id. */
const nameOf = (account: keyof typeof ACCOUNTS, lpId: string): string => {
  const name = ACCOUNTS[account];
  return typeof name === 'string' ? name : name(lpId);
};

/** The kinds of transfers: a key without its numbers, and the accounts that it moves money between. */
const KINDS = Object.entries(TRANSFERS).flatMap(([source, purposes]) =>
  Object.entries(purposes).map(([purpose, { debit, credit }]) => {
    const kind = source === 'deposit' ? source : `${source}/${purpose}`;
    return `(${literals([kind, nameOf(debit, '*'), nameOf(credit, '*')])})`;
  }),
);

const LP_ACCOUNTS = Object.keys(BALANCE_COLUMNS) as (keyof typeof BALANCE_COLUMNS)[];
/** The accounts that are sums, without a balance row. */
const SUMMED = [ACCOUNTS.outside, ACCOUNTS.platformFees, ACCOUNTS.platformSlashed];
/** An account's name in SQL, for the LP whose id an expression gives. */
const of = (account: keyof typeof ACCOUNTS, id: string) => `'${nameOf(account, `' || ${id} || '`)}'`;
const usd = (amount: string) => `trim_scale(${amount})::text`;

const VIEWS = `
  kind (kind, debit, credit) as (values ${KINDS.join(', ')}),
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
    select name, balance from lp_collateral, lateral (values
      ${LP_ACCOUNTS.map((account) => `(${of(account, 'lp_id')}, ${BALANCE_COLUMNS[account]})`).join(', ')}
    ) row (name, balance)
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
  -- The locked collateral of each claim. The row records only that of the newest one.
  claim_collateral as (
    select c.*, case when c.newest then o.collateral_locked end as recorded,
      o.status in (${UNSETTLED}) as is_open,
      coalesce(sum(p.amount) filter (where p.kind = 'order/lock'), 0) as locked,
      coalesce(sum(p.amount) filter (where p.kind <> 'order/lock'), 0) as freed
    from claim c
    join orders o on o.id = c.order_id
    left join posting p on p.order_id = c.order_id and p.lp_id = c.lp_id
      and (p.kind = 'order/lock' and p.version = c.begins
        or p.kind in ('order/release', 'order/slash') and p.version = c.ends)
    group by c.order_id, c.lp_id, c.claims, c.begins, c.ends, c.newest, o.collateral_locked, o.status
  )`;

const LEDGER: Checks = {
  'accounts have known names': `
    select 'account ' || name as "where", 'a known account' as expected,
      case when name in (${literals(SUMMED)}) or lp.id is not null then 'a known account' else 'unknown' end as found
    from account
    left join lp on name in (${LP_ACCOUNTS.map((account) => of(account, 'lp.id')).join(', ')})
      and lp.id = (regexp_match(name, '^lp:(\\d{1,18}):'))[1]::bigint`,
  'transfers are what their keys say': `
    select 'transfer ' || p.id || ' (' || p.key || ')' as "where",
      case when a.id is not null then a.debit || ' to ' || a.credit || ' for posting ' || a.id
        when k.kind is null then 'a key of a known kind'
        else k.debit || ' to ' || k.credit || ' for ' || split_part(k.kind, '/', 1) || ' ' || source_id end as expected,
      case when a.id is not null then p.debit || ' to ' || p.credit
        else regexp_replace(p.debit, p.any_lp, 'lp:*:') || ' to ' || regexp_replace(p.credit, p.any_lp, 'lp:*:') end ||
        ' for ' || concat_ws(' and ', 'order ' || p.order_id, 'deposit ' || deposit_id, 'withdrawal ' || withdrawal_id,
          'posting ' || posting_id) as found
    from posting p
    left join kind k using (kind)
    left join admin_posting a on p.kind = 'posting' and a.id::text = p.source_id`,
  'all accounts add up to zero': `
    select 'all accounts' as "where", '0' as expected, ${usd('coalesce(sum(balance), 0)')} as found
    from (
      select balance from balance_row union all select balance from account where name in (${literals(SUMMED)})
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
  'locked balances are the collateral of open claims': `
    select ${of('lpLocked', 'lp_id')} as "where", ${usd('coalesce(o.collateral, 0)')} as expected,
      coalesce(${usd('c.locked')}, 'no balance') as found
    from lp_collateral c full join (
      select lp_id, sum(collateral_locked) as collateral from orders where status in (${UNSETTLED}) group by lp_id
    ) o using (lp_id)`,
  'withdrawing balances are the open withdrawals': `
    select ${of('lpWithdrawing', 'lp_id')} as "where", ${usd('coalesce(w.open, 0)')} as expected,
      coalesce(${usd('c.withdrawing')}, 'no balance') as found
    from lp_collateral c full join (
      select lp_id, sum(amount) as open from collateral_withdrawal where status = 'requested' group by lp_id
    ) w using (lp_id)`,
  'a claim locks its collateral': `
    select 'order ' || order_id || ' claimed with version ' || begins as "where",
      coalesce(${usd('recorded')}, case when locked > 0 then ${usd('locked')} else 'collateral' end) || ' locked' as expected,
      ${usd('locked')} || ' locked' as found
    from claim_collateral`,
  'locked collateral is released or slashed when its claim ends': `
    select 'order ' || order_id || ' claimed with version ' || begins as "where",
      coalesce(${usd('locked')} || ' freed with version ' || ends,
        case when is_open then '0' else ${usd('locked')} end || ' freed') as expected,
      coalesce(${usd('freed')} || ' freed with version ' || ends, '0 freed') as found
    from claim_collateral`,
  'collateral is locked, released and slashed for claims alone': `
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
  'what an admin posted has moved its money, once': `
    select 'posting ' || a.id as "where", ${usd('a.amount')} || ' from ' || a.debit || ' to ' || a.credit as expected,
      coalesce(t.transfers, 'no transfer') as found
    from admin_posting a left join (
      select posting_id, string_agg(${usd('amount')} || ' from ' || debit || ' to ' || credit, ' and ' order by id) as transfers
      from posting where posting_id is not null group by posting_id
    ) t on t.posting_id = a.id`,
  'the outside has sent the deposits and received the payouts': `
    select 'account ${ACCOUNTS.outside}' as "where", ${usd('sum(amount)')} as expected,
      ${usd(`coalesce((select balance from account where name = '${ACCOUNTS.outside}'), 0)`)} as found
    from (
      select 0 as amount
      union all select -amount from collateral_deposit where status = 'confirmed'
      union all select amount from collateral_withdrawal where status = 'paid'
      union all select amount from admin_posting where credit = '${ACCOUNTS.outside}'
      union all select -amount from admin_posting where debit = '${ACCOUNTS.outside}'
    ) known`,
};

/** Checks the ledger against itself and against orders, deposits, withdrawals and what admins posted. */
export const checkLedger = (db: Database): Promise<CheckResult[]> => runChecks(db, LEDGER, VIEWS);

export const ledgerFindings = async (db: Database): Promise<Finding[]> => findingsOf(await checkLedger(db));
