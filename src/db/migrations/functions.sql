-- What the entities do not say about the tables: how they are stored, and their first rows. After that the functions, each
-- with the triggers that call it, and the views.

-- Claims rewrite the float. If the page has room, the new row version needs no index entries.
alter table lp_term set (fillfactor = 80);
-- A count may start again after a crash, and a request must not wait for the disk.
alter table rate_window set unlogged;
alter table agent_request_count set unlogged;

insert into platform_account (name) values ('platform:fees'), ('platform:slashed');
insert into order_totals (xid, order_id, seq, completed, cancelled, fees_usd) values (feed_horizon(), 0, 0, 0, 0, 0);

-- Liquidity providers

-- Whether an LP may have terms for one more corridor. The lock makes parallel requests of one LP wait for each other, and the
-- count after it sees what they committed.
create function has_room_for_terms(publisher bigint, most int) returns boolean language plpgsql volatile as $$
  begin
    perform from lp where id = publisher for no key update;
    return (select count(*) < most from lp_term where lp_id = publisher);
  end $$;

-- When a float is no longer low, it may be reported again. A trigger resets it, because the reader of the rows may miss
-- a short rise.
create function rearm_float_low() returns trigger language plpgsql as $$
  begin
    new.float_low_reported := false;
    return new;
  end $$;
create trigger lp_term_rearm_float_low before update of float_available, float_low on lp_term for each row
  when (old.float_low_reported and (new.float_available < new.float_low) is not true)
  execute function rearm_float_low();

-- All terms with their present rate, in units of the currency for 1 USD; null: an offset from an unknown price. The
-- rate holds until `rate_until`.
create view priced_term as
  select term.lp_id, term.currency, term.method, term.offset_bps, term.valid_until, term.min_fiat, term.max_fiat,
    term.float_available, term.float_reserved, term.float_low, term.quoting, term.updated_at,
    coalesce(term.rate_usd, round(reference.per_usd * (10000 + term.offset_bps) / 10000, 8)) as rate_usd,
    least(term.valid_until, reference.usable_until) as rate_until
  from lp_term term
  left join reference_price reference
    on term.offset_bps is not null and reference.currency = term.currency and reference.usable_until > now();

-- The terms that hold now. Only these are quoted and used for automatic claims.
create view lp_rate as
  select * from priced_term where quoting and valid_until > now() and rate_usd > 0;

-- Where LPs receive now, and the change that waits. Claims read it, so a change takes effect without a job.
create view receiving_asset as
  select lp_id, symbol, chain, created_at,
    case when waits then previous_address else address end as address,
    case when waits then previous_destination_tag else destination_tag end as destination_tag,
    case when waits then address end as pending_address,
    case when waits then destination_tag end as pending_destination_tag,
    case when waits then previous_until end as takes_effect_at
  from (select *, coalesce(previous_until > now(), false) as waits from lp_asset) asset;

-- When another LP may take an address: a minute after the LP has given it up, and 30 days after the end of the last order that
-- is paid there. Until then a late payment of such an order could look like that of another LP's. Infinity: not foreseeable.
create function address_free_at(address lp_address) returns timestamptz language plpgsql volatile as $$
  begin
    if address.vacated_at is null then return 'infinity'; end if;
    return greatest(address.vacated_at + interval '1 minute', (
      select max(coalesce(completed_at, cancelled_at, 'infinity') + interval '30 days') from orders
      where lp_id = address.lp_id and crypto_chain = address.chain
        and receive_key(crypto_chain, lp_receive_address, destination_tag) = address.receive_key
        and coalesce(completed_at, cancelled_at, 'infinity') > now() - interval '30 days'
    ));
  end $$;

-- Gives an address to an LP, or raises `lp_address_pkey`. A claim reads the LP's address when its statement begins and writes
-- it to the order later. So no statement may run that began before the address was given up: the minute is for the
-- statement that gave it up. PostgreSQL does not show when a statement of another role began, only that it runs (`backend_xmin`).
-- If the role may claim, such a statement counts as an older one.
create function take_address(taker bigint, on_chain varchar, key varchar) returns void language plpgsql as $$
  declare
    owner bigint;
  begin
    insert into lp_address (chain, receive_key, lp_id) values (on_chain, key, taker)
    on conflict (chain, receive_key) do update set lp_id = taker, vacated_at = null
      where lp_address.lp_id = taker or (
        address_free_at(lp_address) <= now()
        and not exists (
          select from pg_stat_activity
          where datname = current_database() and usesysid is not null and case when xact_start is null
            then backend_xmin is not null and has_table_privilege(usesysid, 'orders', 'update')
            else xact_start < lp_address.vacated_at + interval '1 minute' end)
      );
    if not found then
      select lp_id into owner from lp_address where chain = on_chain and receive_key = key;
      raise exception 'The address % on % belongs to LP %', key, on_chain, owner
        using errcode = 'unique_violation', constraint = 'lp_address_pkey';
    end if;
  end $$;

-- Gives an address up, if the LP takes no token there: now, or when the changes to other addresses take effect. The lock comes
-- first, so that the next statement sees a token that the LP registers there at the same time.
create function vacate_address(holder bigint, on_chain varchar, key varchar) returns void language plpgsql as $$
  begin
    perform from lp_address where chain = on_chain and lp_address.receive_key = key for update;
    update lp_address address set vacated_at = greatest(now(), (
      select max(previous_until) from lp_asset asset
      where asset.lp_id = holder and asset.chain = on_chain
        and receive_key(asset.chain, asset.previous_address, asset.previous_destination_tag) = key
    ))
    where chain = on_chain and address.receive_key = key and lp_id = holder and coalesce(vacated_at, 'infinity') > now()
      and not exists (
        select from lp_asset asset
        where asset.lp_id = holder and asset.chain = on_chain and asset.receive_key = key
      );
  end $$;

create function lp_asset_owns_address() returns trigger language plpgsql as $$
  declare
    approved timestamptz;
  begin
    if tg_op <> 'DELETE' then
      -- An approval or a release at the same time waits, or this waits for it.
      select approved_at into approved from lp where id = new.lp_id for share;
      if exists (
        select from address_release where lp_id = new.lp_id and chain = new.chain and receive_key = new.receive_key
          and created_at > now() - interval '30 days'
      ) then
        raise exception 'An admin has taken the address % on % from LP %', new.receive_key, new.chain, new.lp_id
          using errcode = 'unique_violation', constraint = 'address_release_address';
      end if;
      if approved is not null then
        perform take_address(new.lp_id, new.chain, new.receive_key);
      elsif exists (
        select from lp_address where chain = new.chain and receive_key = new.receive_key
          and coalesce(vacated_at, 'infinity') > now()
      ) then
        raise exception 'The address % on % belongs to another LP', new.receive_key, new.chain
          using errcode = 'unique_violation', constraint = 'lp_address_pkey';
      end if;
    end if;
    if tg_op <> 'INSERT' then
      perform vacate_address(old.lp_id, old.chain, old.receive_key);
      if old.previous_until > now() then
        perform vacate_address(old.lp_id, old.chain,
          receive_key(old.chain, old.previous_address, old.previous_destination_tag));
      end if;
    end if;
    return null;
  end $$;
create trigger lp_asset_address
  after insert or delete or update of lp_id, chain, address, destination_tag on lp_asset
  for each row execute function lp_asset_owns_address();

-- With its first approval an LP gets the addresses that it has registered, or is not approved. Its webhooks begin with what comes
-- after it.
create function note_approval() returns trigger language plpgsql as $$
  begin
    new.approved_at := now();
    return new;
  end $$;
create trigger lp_note_approval before insert or update of status on lp for each row
  when (new.status = 'approved' and new.approved_at is null) execute function note_approval();

create function on_first_approval() returns trigger language plpgsql as $$
  begin
    perform take_address(new.id, chain, receive_key)
      from (select distinct chain, receive_key from lp_asset where lp_id = new.id order by 1, 2) registered;
    update lp_webhook set since = feed_horizon() where lp_id = new.id;
    return null;
  end $$;
create trigger lp_on_first_approval after update of status on lp for each row
  when (old.approved_at is null and new.approved_at is not null) execute function on_first_approval();

-- Takes an address from an LP, with its tokens there, and notes why. A change to the address that waits is cancelled instead.
-- Returns no row if the LP does not have it. The lock comes first, so that the next statement sees a token that the LP
-- registers there at the same time. A repetition within 30 days returns what the first call has taken.
create function release_address(holder bigint, on_chain varchar, key varchar, why varchar)
  returns table (symbols varchar[], free_at timestamptz) language plpgsql as $$
  declare
    is_repetition boolean := false;
  begin
    perform from lp where id = holder for no key update;
    with cancelled as (
      update lp_asset set address = previous_address, destination_tag = previous_destination_tag, previous_until = null
      where lp_id = holder and chain = on_chain and lp_asset.receive_key = key and previous_until > now()
      returning symbol
    ),
    given_up as (
      delete from lp_asset where lp_id = holder and chain = on_chain and case when previous_until > now()
        then receive_key(chain, previous_address, previous_destination_tag) else lp_asset.receive_key end = key
      returning symbol
    )
    select array_agg(symbol order by symbol) into symbols
      from (select symbol from cancelled union all select symbol from given_up) affected;
    if symbols is null then
      select release.symbols into symbols from address_release release
        where release.lp_id = holder and release.chain = on_chain and release.receive_key = key
          and release.created_at > now() - interval '30 days';
      if symbols is null and not exists (
        select from lp_address where chain = on_chain and receive_key = key and lp_id = holder
      ) then
        return;
      end if;
      is_repetition := symbols is not null;
    end if;
    if not is_repetition then
      insert into address_release (lp_id, chain, receive_key, symbols, reason)
      values (holder, on_chain, key, coalesce(symbols, '{}'), why);
    end if;
    return query select coalesce(release_address.symbols, '{}'), coalesce(
      (select address_free_at(address) from lp_address address where chain = on_chain and receive_key = key),
      now());
  end $$;

-- Orders

-- The limit of an agent's unsettled USD; 0: none. Both functions raise `agent_exposure_cap` if `added` would exceed it.
-- They are volatile: after the lock on the agent's row they read with a new snapshot, which contains the orders that other
-- statements committed during the wait. A subquery of the calling statement would read with the older snapshot.

create function refuse_exposure(counted numeric, cap numeric) returns void language plpgsql as $$
  begin
    raise exception 'The agent would exceed its limit of % USD: % USD are unsettled', cap, counted
      using errcode = 'check_violation', constraint = 'agent_exposure_cap',
        detail = json_build_object('unsettled', counted::text, 'cap', cap::text);
  end $$;

-- The USD of an agent's live orders. Reads with the snapshot of its caller.
create function unsettled_usd(agent bigint) returns numeric language plpgsql stable as $$
  begin
    return (select coalesce(sum(amount_usd), 0) from orders
      where agent_key_id = agent and status not in ('completed', 'cancelled'));
  end $$;

-- For a new order. Counts all live orders. False: the key was revoked during the wait.
create function require_room_to_pay(agent bigint, added numeric) returns boolean language plpgsql volatile as $$
  declare
    cap numeric;
    counted numeric;
    active boolean;
  begin
    select max_exposure_usd into cap from agent_key where id = agent;
    if cap = 0 then return true; end if;
    select max_exposure_usd, is_active into cap, active from agent_key where id = agent for no key update;
    counted = unsettled_usd(agent);
    if cap <> 0 and counted + added > cap then perform refuse_exposure(counted, cap); end if;
    return active;
  end $$;

-- For a claim. Counts the claimed orders and the open order that is being claimed (`added`). Unless an admin has
-- lowered the limit, all live orders together are within it, so most claims need no lock. A claim that is under way
-- while an admin lowers the limit may pass under the old one.
create function require_room_to_claim(agent bigint, added numeric) returns boolean
  language plpgsql volatile cost 100000 as $$
  declare
    cap numeric;
    counted numeric;
  begin
    select max_exposure_usd into cap from agent_key where id = agent;
    if cap = 0 then return true; end if;
    counted = unsettled_usd(agent);
    if counted <= cap then return true; end if;
    select max_exposure_usd into cap from agent_key where id = agent for no key update;
    select coalesce(sum(amount_usd), 0) into counted from orders
      where agent_key_id = agent and status not in ('matched', 'completed', 'cancelled');
    if cap <> 0 and counted + added > cap then perform refuse_exposure(counted, cap); end if;
    return true;
  end $$;

create function refuse_amount(amount numeric, symbol varchar, chain varchar) returns void language plpgsql as $$
  begin
    raise exception 'Another order, rate lock, deposit or withdrawal has the amount % % on %', trim_scale(amount), symbol, chain
      using errcode = 'unique_violation', constraint = 'reserved_amount_pkey', table = 'reserved_amount';
  end $$;

-- No statement can insert a live order without its own amount. If the order has a rate lock, its statement has already
-- given the lock's amount to the order. An expired lock loses its amount here.
create function reserve_amount() returns trigger language plpgsql as $$
  begin
    insert into reserved_amount (chain, symbol, purpose, amount, order_id)
    values (new.crypto_chain, new.crypto_symbol, 'order', new.amount_crypto, new.id)
    on conflict (chain, symbol, purpose, amount) do update
      set order_id = excluded.order_id, rate_lock_id = null, withdrawal_id = null, expires_at = null
      where reserved_amount.order_id = excluded.order_id or reserved_amount.expires_at <= now();
    if not found then perform refuse_amount(new.amount_crypto, new.crypto_symbol, new.crypto_chain); end if;
    return null;
  end $$;
create trigger orders_reserve_amount after insert on orders for each row
  when (new.status not in ('completed', 'cancelled')) execute function reserve_amount();

-- An order that ends releases its amount. If an LP had claimed it, its payer knows the address and may pay late. Unless a
-- transaction has paid the order, its amount stays reserved for 7 days, so that a late payment settles no other order.
create function release_amount() returns trigger language plpgsql as $$
  begin
    if old.status = 'matched' and new.excluded_lp_ids = '{}' or new.status = 'completed' and (
      old.status = 'crypto_verify_pending' or exists (select from chain_transaction where order_id = new.id)
    ) then
      delete from reserved_amount
      where chain = new.crypto_chain and symbol = new.crypto_symbol and purpose = 'order' and amount = new.amount_crypto
        and order_id = new.id;
    else
      update reserved_amount set expires_at = now() + interval '7 days'
      where chain = new.crypto_chain and symbol = new.crypto_symbol and purpose = 'order' and amount = new.amount_crypto
        and order_id = new.id;
    end if;
    return null;
  end $$;
create trigger orders_release_amount after update of status on orders for each row
  when (new.status in ('completed', 'cancelled') and old.status not in ('completed', 'cancelled'))
  execute function release_amount();

-- The float of the LP's terms follows its orders: a claim reserves fiat, the end of the claim returns it, and
-- completion uses it up. The trigger runs at the end of the statement, after the LP's collateral is locked, so every
-- statement locks the two in the same order. It does not set `changed`: the order's event notifies the feed, so a claim
-- need not update the indexes of lp_term.
create function follow_float() returns trigger language plpgsql as $$
  begin
    if old.float_reserved is not null and old.status not in ('matched', 'completed', 'cancelled')
      and (new.float_reserved is null or new.status in ('completed', 'cancelled')) then
      update lp_term set float_reserved = float_reserved - old.float_reserved,
        float_available = float_available + case new.status when 'completed' then 0 else old.float_reserved end,
        float_back_at = case new.status when 'completed' then float_back_at else now() end
      where lp_id = old.lp_id and currency = old.currency and method = old.corridor_method;
    elsif old.float_reserved is null and new.float_reserved is not null then
      update lp_term set float_reserved = float_reserved + new.float_reserved,
        float_available = float_available - new.float_reserved
      where lp_id = new.lp_id and currency = new.currency and method = new.corridor_method;
    end if;
    return null;
  end $$;
create trigger orders_follow_float after update of status, float_reserved on orders for each row
  when (old.float_reserved is not null or new.float_reserved is not null) execute function follow_float();

-- Whether an LP has one more free release. The lock makes parallel releases of one LP wait for each other, and the count
-- after it sees what they committed.
create function has_free_release(releasing bigint, most int) returns boolean language plpgsql volatile as $$
  begin
    perform from lp where id = releasing for no key update;
    return (select count(*) < most from free_release
      where lp_id = releasing and created_at > now() - interval '24 hours');
  end $$;

-- Money

-- How long the amount of an announcement stays reserved after its end, confirmed or not. So a transfer that comes late, or
-- a second time, is not credited to another LP. Anybody may register LPs and announce, so an LP that no admin has
-- approved gets less.
create function deposit_hold(depositor bigint) returns interval language sql stable
  return (select case status when 'pending' then interval '1 day' else interval '30 days' end from lp where id = depositor);

-- Whether an LP may take over an amount from its own announcement, which expired without a deposit. So its unpaid
-- announcements of a price never have more amounts than it may announce at a time.
create function is_own_expired_deposit(deposit bigint, depositor bigint) returns boolean language sql stable
  return exists (select from collateral_deposit
    where id = deposit and lp_id = depositor and status = 'pending' and expires_at <= now());

-- No statement can announce a deposit without its own amount.
create function reserve_deposit_amount() returns trigger language plpgsql as $$
  begin
    insert into reserved_amount (chain, symbol, purpose, amount, deposit_id, expires_at)
    values (new.chain, new.asset, 'deposit', new.amount, new.id, new.expires_at + deposit_hold(new.lp_id))
    on conflict (chain, symbol, purpose, amount) do update
      set deposit_id = excluded.deposit_id, withdrawal_id = null, expires_at = excluded.expires_at
      where reserved_amount.expires_at <= now()
        or reserved_amount.withdrawal_id is null and is_own_expired_deposit(reserved_amount.deposit_id, new.lp_id);
    if not found then perform refuse_amount(new.amount, new.asset, new.chain); end if;
    return null;
  end $$;
create trigger collateral_deposit_reserve_amount after insert on collateral_deposit for each row
  when (new.status = 'pending') execute function reserve_deposit_amount();

-- Whether an LP may announce one more deposit. The lock makes parallel announcements of one LP wait for each other, and the
-- count after it sees what they committed.
create function has_room_to_announce(depositor bigint, most int) returns boolean language plpgsql volatile as $$
  begin
    perform from lp where id = depositor for no key update;
    return (select count(*) < most from collateral_deposit
      where lp_id = depositor and status = 'pending' and expires_at > now());
  end $$;

-- No statement can request a withdrawal of an amount that a payer owes: its payout would look like that payment.
-- An announcement that has ended is no obstacle, so that an LP can withdraw exactly what it has deposited.
create function reserve_withdrawal_amount() returns trigger language plpgsql as $$
  begin
    insert into reserved_amount (chain, symbol, purpose, amount, withdrawal_id)
    values (new.chain, new.asset, 'order', new.amount, new.id)
    on conflict (chain, symbol, purpose, amount) do update
      set order_id = null, rate_lock_id = null, withdrawal_id = excluded.withdrawal_id, expires_at = null
      where reserved_amount.withdrawal_id is not null or reserved_amount.expires_at <= now();
    if not found then perform refuse_amount(new.amount, new.asset, new.chain); end if;
    insert into reserved_amount (chain, symbol, purpose, amount, withdrawal_id)
    values (new.chain, new.asset, 'deposit', new.amount, new.id)
    on conflict (chain, symbol, purpose, amount) do update
      set withdrawal_id = excluded.withdrawal_id, expires_at = null
      where reserved_amount.withdrawal_id is not null or reserved_amount.expires_at <= now()
        or exists (select from collateral_deposit d
          where d.id = reserved_amount.deposit_id and (d.status <> 'pending' or d.expires_at <= now()));
    if not found then perform refuse_amount(new.amount, new.asset, new.chain); end if;
    return null;
  end $$;
create trigger collateral_withdrawal_reserve_amount after insert on collateral_withdrawal for each row
  when (new.status = 'requested') execute function reserve_withdrawal_amount();

-- The amount is free when all its withdrawals are decided, and a day after the last payout. The lock comes first, so that the
-- next statement sees a withdrawal of the same amount that is requested at the same time.
create function release_withdrawal_amount() returns trigger language plpgsql as $$
  declare
    free_from timestamptz;
  begin
    perform from reserved_amount
      where chain = new.chain and symbol = new.asset and amount = new.amount and withdrawal_id is not null
      order by purpose desc for update;
    select case when bool_or(status = 'requested') then 'infinity'
        else greatest(max(decided_at) filter (where status = 'paid') + interval '1 day', now()) end
      into free_from from collateral_withdrawal
      where chain = new.chain and asset = new.asset and amount = new.amount;
    update reserved_amount r set expires_at = case when free_from = 'infinity' then null else greatest(free_from,
        (select d.expires_at + deposit_hold(d.lp_id) from collateral_deposit d where d.id = r.deposit_id)) end
      where r.chain = new.chain and r.symbol = new.asset and r.amount = new.amount and r.withdrawal_id is not null;
    return null;
  end $$;
create trigger collateral_withdrawal_release_amount after update of status on collateral_withdrawal for each row
  when (old.status = 'requested' and new.status <> 'requested') execute function release_withdrawal_amount();

create function ledger_transfer_is_append_only() returns trigger language plpgsql as $$
  begin
    raise exception 'The ledger is append-only: % of % is refused. Post a transfer the other way instead.', lower(tg_op), tg_table_name
      using errcode = 'restrict_violation';
  end $$;
create trigger ledger_transfer_append_only before update or delete or truncate on ledger_transfer
  for each statement execute function ledger_transfer_is_append_only();

-- The trigger must also stop a session with session_replication_role = replica.
alter table ledger_transfer enable always trigger ledger_transfer_append_only;
create trigger admin_posting_append_only before update or delete or truncate on admin_posting
  for each statement execute function ledger_transfer_is_append_only();
alter table admin_posting enable always trigger admin_posting_append_only;

-- The platform's accounts are sums over transfers. A row holds the sum as it was when money last left the account, so
-- that only transfers out of it lock the row, never an order. Only the trigger writes it, with the owner's rights.
create function check_platform_account() returns trigger
  language plpgsql security definer set search_path = public, pg_temp as $$
  begin
    -- Transfers out of one account wait here for each other. The statement below then sees the committed ones.
    perform from platform_account where name = new.debit for update;
    if not found then
      raise exception 'platform_account has no row for %', new.debit using errcode = 'foreign_key_violation';
    end if;
    update platform_account set balance =
      (select coalesce(sum(amount), 0) from ledger_transfer where credit = new.debit)
      - (select coalesce(sum(amount), 0) from ledger_transfer where debit = new.debit)
    where name = new.debit;
    return null;
  end $$;
create trigger ledger_transfer_platform_account after insert on ledger_transfer for each row
  when (new.debit in ('platform:fees', 'platform:slashed')) execute function check_platform_account();

-- LPs' locked and withdrawing balances belong to open orders and withdrawals. A posting may only move such a balance
-- towards the sum of those orders or withdrawals. The statement has locked the balances' rows, as every claim and
-- withdrawal does.
create function check_owed_balances() returns trigger language plpgsql as $$
  begin
    if exists (
      select
      from (values (new.debit, -1), (new.credit, 1)) as side (account, direction)
      join lp_collateral c on c.lp_id = (regexp_match(account, '^lp:(\d{1,18}):'))[1]::bigint
      where direction * case split_part(account, ':', 3)
        when 'locked' then c.locked - (
          select coalesce(sum(collateral_locked), 0) from orders
          where lp_id = c.lp_id and status in ('claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'disputed'))
        when 'withdrawing' then c.withdrawing - (
          select coalesce(sum(amount), 0) from collateral_withdrawal where lp_id = c.lp_id and status = 'requested')
        else 0 end > 0
    ) then
      raise exception 'A posting may bring % to % only towards what open orders and withdrawals account for', new.debit, new.credit
        using errcode = 'check_violation', constraint = 'admin_posting_owed', table = 'admin_posting';
    end if;
    return null;
  end $$;
create trigger ledger_transfer_owed_balances after insert on ledger_transfer for each row
  when (new.posting_id is not null) execute function check_owed_balances();

-- Webhooks

-- Who receives warnings of a stolen key: an LP's present webhook, also a stopped one, and its former ones. A thief can replace
-- the webhook many times, so only the five count that were in use for the longest time. The LP's own is one of them.
create view warned_webhook as
  select lp_id, url, events, secret from lp_webhook
  union all
  select lp_id, url, events, secret from (
    select *, row_number() over (partition by lp_id order by ended_at - began_at desc, id) as place
    from former_lp_webhook where kept_until > now()
  ) former where place <= 5;
