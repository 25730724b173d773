-- The position of an event in the feed is the id of its transaction. If a dump is restored into another server, those
-- ids start again, so src/db/restore.ts increases this offset.
create function feed_offset() returns bigint
  language sql immutable parallel safe return 0::bigint;

-- The position of the events that this transaction writes.
create function feed_place() returns xid8
  language sql volatile return (pg_current_xact_id()::text::bigint + feed_offset())::text::xid8;

-- Every transaction below this position has committed or never will.
create function feed_horizon() returns xid8
  language sql stable return (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_offset())::text::xid8;

-- Users and callers

create table app_user (
  id bigserial primary key,
  name varchar(200),
  created_at timestamptz(3) not null default now()
);

-- Names are searched by their beginning, in any case. In the C collation, they are one range of the index.
create index app_user_name on app_user ((lower(name) collate "C"), id);

create table agent_key (
  id bigserial primary key,
  name varchar(200),
  integrator_name varchar(200),
  key_hash bytea not null,
  previous_key_hash bytea,
  previous_expires_at timestamptz(3),
  older_key_hash bytea,
  older_expires_at timestamptz(3),
  rate_limit int,
  max_exposure_usd numeric(20,6) not null,
  is_active boolean not null default true,
  scopes varchar(16)[],
  expires_at timestamptz(3),
  allowed_ips cidr[],
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  last_used_address varchar(64),
  constraint agent_key_key_hash_unique unique (key_hash),
  constraint agent_key_previous_key_hash_unique unique (previous_key_hash),
  constraint agent_key_older_key_hash_unique unique (older_key_hash),
  constraint agent_key_rate_limit_positive check (rate_limit > 0),
  constraint agent_key_max_exposure_not_negative check (max_exposure_usd >= 0)
);

create index agent_key_name on agent_key ((lower(name) collate "C"), id);
create index agent_key_integrator_name on agent_key ((lower(integrator_name) collate "C"), id);

create table admin (
  id bigserial primary key,
  name varchar(200) not null,
  role varchar(16) not null,
  key_hash bytea not null,
  previous_key_hash bytea,
  previous_expires_at timestamptz(3),
  older_key_hash bytea,
  older_expires_at timestamptz(3),
  is_active boolean not null default true,
  expires_at timestamptz(3),
  allowed_ips cidr[],
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3),
  last_used_address varchar(64),
  oidc_issuer varchar(500),
  oidc_subject varchar(255),
  constraint admin_key_hash_unique unique (key_hash),
  constraint admin_previous_key_hash_unique unique (previous_key_hash),
  constraint admin_older_key_hash_unique unique (older_key_hash),
  constraint admin_oidc_unique unique (oidc_issuer, oidc_subject),
  constraint admin_role_check check (role in ('viewer', 'support', 'risk', 'treasurer', 'owner'))
);

-- Records name admins. An identity provider may have two persons of one name: their ids distinguish them.
create unique index admin_name_unique on admin ((lower(name) collate "C")) where is_active and oidc_issuer is null;

-- Sign-ins to the console: see `src/access/console-session.ts`.
create table session (
  id bigserial primary key,
  token_hash bytea not null,
  kind varchar(8) not null,
  principal_id bigint,
  key_hash bytea,
  created_at timestamptz(3) not null default now(),
  last_used_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  ended_at timestamptz(3),
  address varchar(64),
  user_agent varchar(200),
  constraint session_token_hash_unique unique (token_hash),
  constraint session_kind_check check (kind in ('admin', 'lp', 'agent')),
  constraint session_of_somebody check (principal_id is not null or kind = 'admin')
);
create index session_expires_at_index on session (expires_at);

-- Browsers that are signing in at the identity provider.
create table oidc_sign_in (
  token_hash bytea primary key,
  expires_at timestamptz(3) not null
);

-- What one admin has proposed and another one has to approve.
create table approval (
  id bigserial primary key,
  action varchar(100) not null,
  params jsonb not null,
  query jsonb not null,
  body jsonb not null,
  idempotency_key varchar(255),
  preview jsonb,
  proposed_by varchar(64) not null,
  status varchar(16) not null default 'proposed',
  decided_by varchar(64),
  decided_at timestamptz(3),
  attempt_until timestamptz(3),
  carried_out_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  constraint approval_status_check check (status in ('proposed', 'approved', 'rejected')),
  constraint approval_two_persons check (status <> 'approved' or decided_by <> proposed_by)
);

-- Liquidity providers

create table lp (
  id bigserial primary key,
  key_hash bytea not null,
  previous_key_hash bytea,
  previous_expires_at timestamptz(3),
  older_key_hash bytea,
  older_expires_at timestamptz(3),
  user_id bigint not null,
  xrpl_address varchar(128) not null,
  mpesa_phone varchar(32) not null,
  display_name varchar(200) not null,
  status varchar(16) not null,
  tier smallint not null default 0,
  spread_bps int not null default 0,
  created_at timestamptz(3) not null default now(),
  approved_at timestamptz(3),
  constraint lp_key_hash_unique unique (key_hash),
  constraint lp_previous_key_hash_unique unique (previous_key_hash),
  constraint lp_older_key_hash_unique unique (older_key_hash),
  constraint lp_status_check check (status in ('pending', 'approved', 'suspended')),
  constraint lp_tier_check check (tier >= 0 and tier < 5),
  constraint lp_spread_bps_check check (spread_bps >= 0 and spread_bps <= 10000),
  constraint lp_user_id_foreign foreign key (user_id) references app_user (id)
);

create index lp_ever_approved on lp (id) where approved_at is not null;
create index lp_display_name on lp ((lower(display_name) collate "C"), id);

-- An LP's terms for a corridor. The method `*` belongs to a currency without corridors. `float_available` is the fiat
-- that the LP can send for new orders; null: Corridor does not count it. `float_reserved` is the fiat of its claimed
-- orders.
create table lp_term (
  lp_id bigint not null,
  currency varchar(3) not null,
  method varchar(32) not null,
  rate_usd numeric(20,8),
  offset_bps int,
  valid_until timestamptz(3) not null,
  min_fiat numeric(20,2) not null default 0,
  max_fiat numeric(20,2),
  float_available numeric(20,2),
  float_reserved numeric(20,2) not null default 0,
  float_low numeric(20,2),
  quoting boolean not null default true,
  expiry_reported timestamptz(3),
  float_is_low boolean not null generated always as (coalesce(float_available < float_low, false)) stored,
  float_low_reported boolean not null default false,
  float_back_at timestamptz(3),
  narrowed_at timestamptz(3),
  changed xid8 not null default feed_place(),
  updated_at timestamptz(3) not null default now(),
  primary key (lp_id, currency, method),
  constraint lp_term_one_price check ((rate_usd is null) <> (offset_bps is null)),
  constraint lp_term_rate_positive check (rate_usd > 0),
  constraint lp_term_offset_plausible check (offset_bps >= -1000 and offset_bps <= 1000),
  constraint lp_term_band check (min_fiat >= 0 and max_fiat >= min_fiat),
  constraint lp_term_float_available_not_negative check (float_available >= 0),
  constraint lp_term_float_reserved_not_negative check (float_reserved >= 0),
  constraint lp_term_lp_id_foreign foreign key (lp_id) references lp (id)
-- Claims rewrite the float. If the page has room, the new row version needs no index entries.
) with (fillfactor = 80);
create index lp_term_corridor on lp_term (currency, method);
create index lp_term_changed on lp_term (changed);
-- The terms that the next webhooks report: rates in the order in which they expire, and low floats. The indexes do not
-- contain the float itself, so a claim that does not make the float low adds no entry.
create index lp_term_expiry on lp_term (valid_until) where quoting and expiry_reported is distinct from valid_until;
create index lp_term_low on lp_term (lp_id) where quoting and float_is_low and not float_low_reported;

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

-- The price source's last price of a US dollar in each currency, for terms that are an offset from it.
create table reference_price (
  currency varchar(3) not null,
  per_usd numeric(38,18) not null,
  as_of timestamptz(3) not null,
  usable_until timestamptz(3) not null,
  changed xid8 not null default feed_place(),
  primary key (currency),
  constraint reference_price_positive check (per_usd > 0)
);

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

-- One spelling for each receive address of a chain: EVM addresses compare without case. An XRPL destination tag is part
-- of the address.
create function receive_key(chain varchar, address varchar, destination_tag bigint) returns varchar
  language sql immutable parallel safe
  return case when chain in ('eth', 'polygon', 'base') then lower(address) else address end
    || coalesce(':' || destination_tag, '');

-- The address that an LP has registered for a token. Until `previous_until`, the LP still receives at the previous one:
-- `receiving_asset`.
create table lp_asset (
  lp_id bigint not null,
  symbol varchar(16) not null,
  chain varchar(16) not null,
  address varchar(128) not null,
  destination_tag bigint,
  receive_key varchar(160) not null generated always as (receive_key(chain, address, destination_tag)) stored,
  previous_address varchar(128),
  previous_destination_tag bigint,
  previous_until timestamptz(3),
  added xid8 not null default feed_place(),
  created_at timestamptz(3) not null default now(),
  primary key (lp_id, symbol, chain),
  constraint lp_asset_destination_tag_check check (chain = 'xrpl' or destination_tag is null),
  constraint lp_asset_previous_check check (previous_until is null or previous_address is not null),
  constraint lp_asset_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index lp_asset_receive_key on lp_asset (chain, receive_key);
create index lp_asset_added on lp_asset (added);

-- Where LPs receive now, and the change that waits. Claims read it, so a change takes effect without a job.
create view receiving_asset as
  select lp_id, symbol, chain, created_at,
    case when waits then previous_address else address end as address,
    case when waits then previous_destination_tag else destination_tag end as destination_tag,
    case when waits then address end as pending_address,
    case when waits then destination_tag end as pending_destination_tag,
    case when waits then previous_until end as takes_effect_at
  from (select *, coalesce(previous_until > now(), false) as waits from lp_asset) asset;

-- The LP to which each receive address belongs: one per chain, of the LPs that an admin has ever approved. Anybody may
-- register as an LP, and Corridor cannot verify whose an address is, so an LP that was never approved keeps none from others.
-- An LP may take several tokens at one address, so lp_asset itself cannot have this key. `vacated_at`: from then on the LP takes
-- none there. It is in the future while a change of the address waits.
create table lp_address (
  chain varchar(16) not null,
  receive_key varchar(160) not null,
  lp_id bigint not null,
  vacated_at timestamptz(3),
  primary key (chain, receive_key),
  constraint lp_address_lp_id_foreign foreign key (lp_id) references lp (id)
);

-- Addresses that an admin has taken from an LP, which cannot register them again for 30 days.
create table address_release (
  id bigserial primary key,
  lp_id bigint not null,
  chain varchar(16) not null,
  receive_key varchar(160) not null,
  symbols varchar(16)[] not null,
  reason varchar(500) not null,
  created_at timestamptz(3) not null default now(),
  constraint address_release_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index address_release_address on address_release (lp_id, chain, receive_key);

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

create table lp_collateral (
  lp_id bigint not null,
  available numeric(20,6) not null default '0',
  locked numeric(20,6) not null default '0',
  withdrawing numeric(20,6) not null default '0',
  primary key (lp_id),
  constraint lp_collateral_available_not_negative check (available >= 0),
  constraint lp_collateral_locked_not_negative check (locked >= 0),
  constraint lp_collateral_withdrawing_not_negative check (withdrawing >= 0),
  constraint lp_collateral_lp_id_foreign foreign key (lp_id) references lp (id)
);

create table lp_auto_claim (
  lp_id bigint not null,
  enabled boolean not null,
  max_amount_usd numeric(20,6),
  currencies varchar(3)[],
  min_profit_usd numeric(20,6) not null default '0',
  updated_at timestamptz(3) not null default now(),
  offers_due_at timestamptz(3),
  offered_at timestamptz(3),
  primary key (lp_id),
  constraint lp_auto_claim_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index lp_auto_claim_enabled on lp_auto_claim (lp_id) where enabled;

create table lp_statistics (
  lp_id bigint not null,
  orders_completed int not null,
  recent_outcomes boolean[] not null,
  recent_completed int not null,
  recent_failed_claims int not null,
  -- true: an order that the LP claimed, false: one that was quoted from it and expired unclaimed. The newest first.
  recent_quotes boolean[] not null,
  recent_unclaimed int not null,
  -- Until then the LP ranks behind all others, because it left most of its last quotes. Null: it did not.
  ranks_last_until timestamptz(3),
  recent_fiat_seconds int[] not null,
  median_fiat_seconds int,
  updated_at timestamptz(3) not null default now(),
  primary key (lp_id),
  constraint lp_statistics_lp_id_foreign foreign key (lp_id) references lp (id)
);

create table lp_forgiveness (
  id bigserial primary key,
  lp_id bigint not null,
  reason varchar(500) not null,
  created_at timestamptz(3) not null default now(),
  constraint lp_forgiveness_lp_id_foreign foreign key (lp_id) references lp (id)
);

-- The scopes in which admins have stopped new payments and claims: a currency, an agent, or everything (both columns
-- null).
create table pause (
  id bigserial primary key,
  currency varchar(3),
  agent_key_id bigint,
  reason varchar(300) not null,
  created_at timestamptz(3) not null default now(),
  constraint pause_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id)
);
create unique index pause_scope on pause (coalesce(currency, ''), coalesce(agent_key_id, 0));

-- The currencies, methods and chains that are or were out of order. While one is, new payments and claims are paused there,
-- and the clocks of the orders that wait for it stand still.
create table incident (
  id bigserial primary key,
  currency varchar(3),
  method varchar(32),
  chain varchar(16),
  reason varchar(300) not null,
  opened_at timestamptz(3) not null default now(),
  opened_by varchar(64) not null,
  closing_at timestamptz(3),
  closed_at timestamptz(3),
  closed_by varchar(64),
  constraint incident_scope
    check ((currency is null) <> (chain is null) and (method is null or currency is not null)),
  constraint incident_closed check ((closed_at is null) = (closed_by is null))
);
create unique index incident_open on incident (coalesce(currency, ''), coalesce(method, ''), coalesce(chain, ''))
  where closed_at is null;

-- Orders

create table orders (
  id bigserial primary key,
  payment_id varchar(64) not null,
  agent_key_id bigint not null,
  user_id bigint not null,
  lp_id bigint,
  type varchar(16) not null default 'payout',
  amount_fiat numeric(18,2) not null,
  currency varchar(3) not null,
  rate_usd numeric(20,8) not null,
  spread_bps int not null,
  amount_usd numeric(20,6) not null,
  fee_usd numeric(20,6) not null,
  amount_crypto numeric(28,12) not null,
  crypto_symbol varchar(16) not null,
  crypto_chain varchar(16) not null,
  recipient varchar(128) not null,
  recipient_name varchar(200),
  method varchar(32) not null,
  corridor_method varchar(32) not null,
  institution varchar(32),
  recipient_details jsonb,
  recipient_check jsonb,
  callback_url varchar(2048),
  receipt_url varchar(512),
  status varchar(32) not null,
  status_reason varchar(500),
  version int not null default 1,
  lp_receive_address varchar(128),
  destination_tag bigint,
  collateral_locked numeric(20,6),
  float_reserved numeric(18,2),
  claim_rate_usd numeric(20,8),
  user_crypto_tx_hash varchar(128),
  slashed_usd numeric(20,6),
  reoffers int not null default 0,
  rejections int not null default 0,
  replacements int not null default 0,
  rejected_tx_hashes varchar(128)[] not null default '{}',
  excluded_lp_ids bigint[] not null default '{}',
  expires_at timestamptz(3) not null,
  timeout_at timestamptz(3),
  deadline_set_at timestamptz(3) not null default now(),
  stage_ms bigint[] not null,
  frozen_ms bigint,
  created_at timestamptz(3) not null default now(),
  completed_at timestamptz(3),
  cancelled_at timestamptz(3),
  masked_at timestamptz(3),
  traceparent varchar(55),
  constraint orders_payment_id_unique unique (payment_id),
  constraint orders_status_check
    check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed')),
  constraint orders_amounts_positive
    check (amount_fiat > 0 and amount_usd > 0 and amount_crypto > 0 and fee_usd >= 0),
  constraint orders_masked_when_ended
    check (masked_at is null or (status in ('completed', 'cancelled') and recipient = '•••')),
  constraint orders_owner_known
    check (status in ('matched', 'cancelled') or (lp_id is not null and lp_receive_address is not null and collateral_locked is not null)),
  constraint orders_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id),
  constraint orders_user_id_foreign foreign key (user_id) references app_user (id),
  constraint orders_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index orders_agent on orders (agent_key_id, id);
create index orders_lp on orders (lp_id, id);
create index orders_open on orders (id) where status = 'matched';
create index orders_agent_live on orders (agent_key_id) where status not in ('completed', 'cancelled');
create index orders_live on orders (id) where status not in ('completed', 'cancelled');
-- A block range index would cost less to maintain, but in a measurement it read half of the table.
create index orders_created on orders (created_at);
-- The ended orders whose personal data may have to be masked, in the order in which they ended.
create index orders_unmasked on orders ((coalesce(completed_at, cancelled_at)), id)
  where masked_at is null and status in ('completed', 'cancelled');
create index orders_user on orders (user_id, id);
-- By the spelling that all spellings of a hash become.
create index orders_tx_hash on orders ((regexp_replace(lower(trim(user_crypto_tx_hash)), '^0x', '')), id)
  where user_crypto_tx_hash is not null;
create index orders_excluded_lps on orders using gin (excluded_lp_ids) where excluded_lp_ids <> '{}';

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

create table order_event (
  order_id bigint not null,
  seq int not null,
  from_status varchar(32),
  status varchar(32) not null,
  actor varchar(64) not null,
  cause varchar(64) not null,
  reason varchar(500),
  snapshot jsonb not null,
  xid xid8 not null default feed_place(),
  created_at timestamptz(3) not null default now(),
  primary key (order_id, seq),
  constraint order_event_status_check
    check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed')),
  constraint order_event_order_id_foreign foreign key (order_id) references orders (id)
);
create index order_event_feed on order_event (xid, order_id, seq);
-- Events are only appended, so blocks follow time. This index has a few pages and adds almost no cost to a write.
create index order_event_time on order_event using brin (created_at) with (autosummarize = on);

create table order_outcome (
  request_id uuid not null,
  order_id bigint not null,
  result varchar(64) not null,
  status varchar(32) not null,
  created_at timestamptz(3) not null default now(),
  primary key (request_id),
  constraint order_outcome_order_id_foreign foreign key (order_id) references orders (id)
);
create index order_outcome_created_at on order_outcome (created_at);

create table request_note (
  request_id uuid not null,
  order_id bigint not null,
  reason varchar(500) not null,
  context jsonb,
  created_at timestamptz(3) not null default now(),
  primary key (request_id)
);
create index request_note_created_at on request_note (created_at);
create index request_note_order on request_note (order_id, created_at);

-- One command on many orders, and the orders that its dry run selected.
create table bulk_run (
  id bigserial primary key,
  action varchar(32) not null,
  arguments jsonb not null,
  filter varchar(500) not null,
  reason varchar(300) not null,
  created_by varchar(64) not null,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  token uuid not null default gen_random_uuid(),
  orders int not null,
  selection jsonb not null,
  started_at timestamptz(3),
  context jsonb,
  worked_at timestamptz(3),
  stopped_at timestamptz(3),
  stopped_by varchar(64),
  finished_at timestamptz(3),
  constraint bulk_run_action_check
    check (action in ('extend', 'freeze', 'unfreeze', 'redeliver', 'cancel', 'retry-verification'))
);
create index bulk_run_unfinished on bulk_run (id) where started_at is not null and finished_at is null;

create table bulk_order (
  bulk_run_id bigint not null,
  order_id bigint not null,
  status varchar(32) not null,
  version int not null,
  attempts int not null default 0,
  outcome varchar(16),
  reason varchar(64),
  treated_at timestamptz(3),
  primary key (bulk_run_id, order_id),
  constraint bulk_order_bulk_run_id_foreign foreign key (bulk_run_id) references bulk_run (id),
  constraint bulk_order_order_id_foreign foreign key (order_id) references orders (id),
  constraint bulk_order_status_check check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed')),
  constraint bulk_order_outcome_check check (outcome in ('applied', 'already', 'moved', 'refused', 'unanswered'))
);
create index bulk_order_untreated on bulk_order (bulk_run_id, attempts, order_id) where outcome is null;

create table idempotency_key (
  agent_key_id bigint not null,
  key varchar(255) not null,
  request_hash bytea not null,
  order_id bigint not null,
  response jsonb not null,
  created_at timestamptz(3) not null default now(),
  primary key (agent_key_id, key),
  constraint idempotency_key_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id),
  constraint idempotency_key_order_id_foreign foreign key (order_id) references orders (id)
);
create index idempotency_key_order on idempotency_key (order_id);

create table recipient_check (
  id varchar(64) not null,
  agent_key_id bigint not null,
  currency varchar(3) not null,
  method varchar(32) not null,
  recipient_hash bytea not null,
  name_hash bytea,
  result varchar(16) not null,
  name_masked varchar(64),
  expires_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (id),
  constraint recipient_check_result_check
    check (result in ('matched', 'partial', 'not_matched', 'unsupported', 'unavailable')),
  constraint recipient_check_matched_name
    check (name_masked is not null or result in ('not_matched', 'unsupported', 'unavailable')),
  constraint recipient_check_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id)
);
create index recipient_check_expires on recipient_check (expires_at);

create table rate_lock (
  id varchar(64) not null,
  agent_key_id bigint not null,
  lp_id bigint not null,
  amount_fiat numeric(18,2) not null,
  currency varchar(3) not null,
  method varchar(32) not null,
  rate_usd numeric(20,8) not null,
  spread_bps int not null,
  amount_usd numeric(20,6) not null,
  fee_usd numeric(20,6) not null,
  amount_crypto numeric(28,12) not null,
  crypto_symbol varchar(16) not null,
  crypto_chain varchar(16) not null,
  expires_at timestamptz(3) not null,
  order_id bigint,
  created_at timestamptz(3) not null default now(),
  primary key (id),
  constraint rate_lock_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id),
  constraint rate_lock_lp_id_foreign foreign key (lp_id) references lp (id),
  constraint rate_lock_order_id_foreign foreign key (order_id) references orders (id)
);
create index rate_lock_unused on rate_lock (expires_at) where order_id is null;

-- The exact amounts that payers owe. The amount identifies what a transfer pays, so each belongs to one live order, one
-- valid rate lock or one announced deposit. Orders and deposits are paid at different addresses, so an order and a
-- deposit may ask for the same amount. A withdrawal may go to any address, also to one where an LP's payers pay, so it
-- holds its amount for both purposes. Several withdrawals may have the same amount.
create table reserved_amount (
  chain varchar(16) not null,
  symbol varchar(16) not null,
  purpose varchar(8) not null,
  amount numeric(28,12) not null,
  order_id bigint,
  rate_lock_id varchar(64),
  deposit_id bigint,
  -- The newest withdrawal of the amount. The announcement that had the amount before stays in the row: its time goes on.
  withdrawal_id bigint,
  -- Null: the order is live, or a withdrawal is open.
  expires_at timestamptz(3),
  primary key (chain, symbol, purpose, amount),
  constraint reserved_amount_purpose_check check (purpose in ('order', 'deposit')),
  constraint reserved_amount_holder
    check (case when purpose = 'deposit' then num_nonnulls(order_id, rate_lock_id) = 0
        and num_nonnulls(deposit_id, withdrawal_id) > 0
      else deposit_id is null and num_nonnulls(order_id, rate_lock_id, withdrawal_id) = 1 end
      and (expires_at is not null or num_nonnulls(order_id, withdrawal_id) > 0))
);
create index reserved_amount_expires on reserved_amount (expires_at) where expires_at is not null;
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

create table receipt (
  receipt_key varchar(64) not null,
  order_id bigint not null,
  lp_id bigint not null,
  content_type varchar(64) not null,
  size int not null,
  created_at timestamptz(3) not null default now(),
  primary key (receipt_key),
  constraint receipt_content_type_check
    check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf', 'image/heic')),
  constraint receipt_size_positive check (size > 0),
  constraint receipt_order_id_foreign foreign key (order_id) references orders (id),
  constraint receipt_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index receipt_order on receipt (order_id, created_at);

create table lp_strike (
  order_id bigint not null,
  seq int not null,
  lp_id bigint not null,
  forgiveness_id bigint,
  created_at timestamptz(3) not null default now(),
  primary key (order_id, seq),
  constraint lp_strike_order_id_foreign foreign key (order_id) references orders (id),
  constraint lp_strike_lp_id_foreign foreign key (lp_id) references lp (id),
  constraint lp_strike_forgiveness_id_foreign foreign key (forgiveness_id) references lp_forgiveness (id)
);
create index lp_strike_of_lp on lp_strike (lp_id, created_at) where forgiveness_id is null;
create index lp_strike_recent on lp_strike (created_at) where forgiveness_id is null;

-- Releases that cost the LP no strike. The step that carries out the release writes the row, with the key of its event.
create table free_release (
  order_id bigint not null,
  seq int not null,
  lp_id bigint not null,
  created_at timestamptz(3) not null default now(),
  primary key (order_id, seq),
  constraint free_release_order_id_foreign foreign key (order_id) references orders (id),
  constraint free_release_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index free_release_of_lp on free_release (lp_id, created_at);

-- Whether an LP has one more free release. The lock makes parallel releases of one LP wait for each other, and the count
-- after it sees what they committed.
create function has_free_release(releasing bigint, most int) returns boolean language plpgsql volatile as $$
  begin
    perform from lp where id = releasing for no key update;
    return (select count(*) < most from free_release
      where lp_id = releasing and created_at > now() - interval '24 hours');
  end $$;

create table unanswered_order (
  order_id bigint not null,
  asked_at timestamptz(3) not null default now(),
  primary key (order_id)
);

create table order_totals (
  id smallint not null default 1,
  xid xid8 not null,
  order_id bigint not null,
  seq int not null,
  completed bigint not null,
  cancelled bigint not null,
  fees_usd numeric(20,6) not null,
  primary key (id),
  constraint order_totals_single check (id = 1)
);
insert into order_totals (xid, order_id, seq, completed, cancelled, fees_usd) values (feed_horizon(), 0, 0, 0, 0, 0);

-- Money

create table collateral_deposit (
  id bigserial primary key,
  lp_id bigint not null,
  amount numeric(20,6) not null,
  asset varchar(16) not null,
  chain varchar(16) not null,
  tx_hash varchar(128),
  status varchar(16) not null default 'pending',
  lookups int not null default 0,
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  constraint collateral_deposit_amount_positive check (amount > 0),
  constraint collateral_deposit_status_check check (status in ('pending', 'confirmed')),
  constraint collateral_deposit_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index collateral_deposit_lp on collateral_deposit (lp_id, id);
create index collateral_deposit_pending on collateral_deposit (lp_id, expires_at) where status = 'pending';

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

create table collateral_withdrawal (
  id bigserial primary key,
  lp_id bigint not null,
  amount numeric(20,6) not null,
  asset varchar(16) not null,
  chain varchar(16) not null,
  address varchar(128) not null,
  status varchar(16) not null default 'requested',
  idempotency_key varchar(255),
  tx_hash varchar(128),
  reason varchar(500),
  created_at timestamptz(3) not null default now(),
  decided_at timestamptz(3),
  constraint collateral_withdrawal_key unique (lp_id, idempotency_key),
  constraint collateral_withdrawal_amount_positive check (amount > 0),
  constraint collateral_withdrawal_status_check check (status in ('requested', 'paid', 'rejected')),
  constraint collateral_withdrawal_decided
    check ((status = 'requested') = (decided_at is null) and (status = 'rejected') = (reason is not null)),
  constraint collateral_withdrawal_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index collateral_withdrawal_lp on collateral_withdrawal (lp_id, id);
create unique index collateral_withdrawal_open on collateral_withdrawal (lp_id, amount, asset, chain, address)
  where status = 'requested' and idempotency_key is null;
create index collateral_withdrawal_amount on collateral_withdrawal (amount, asset, chain);

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

create table payment_verdict (
  order_id bigint not null,
  version int not null,
  chain varchar(16) not null,
  tx_hash varchar(128) not null,
  kind varchar(16) not null,
  seen varchar(500),
  created_at timestamptz(3) not null default now(),
  primary key (order_id, version),
  constraint payment_verdict_kind_check check (kind in ('not_found', 'pending', 'verified', 'invalid', 'replaced')),
  constraint payment_verdict_order_id_foreign foreign key (order_id) references orders (id)
);

create table chain_transaction (
  chain varchar(16) not null,
  tx_hash varchar(128) not null,
  order_id bigint,
  deposit_id bigint,
  withdrawal_id bigint,
  posting_id bigint,
  created_at timestamptz(3) not null default now(),
  primary key (chain, tx_hash),
  constraint chain_transaction_order_id_foreign foreign key (order_id) references orders (id)
);
-- Rejecting a transaction finds it by its order.
create index chain_transaction_order on chain_transaction (order_id);

create table sandbox_transaction (
  chain varchar(16) not null,
  tx_hash varchar(128) not null,
  symbol varchar(16) not null,
  "to" varchar(128) not null,
  destination_tag bigint,
  amount numeric(36,18) not null,
  final_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (chain, tx_hash)
);

-- The postings of admins: fees taken out, compensation, corrections. Each posts one transfer, in the same statement.
create function is_account(name varchar, lp_id bigint) returns boolean language sql immutable as $$
  select case when lp_id is null then name in ('outside', 'platform:fees', 'platform:slashed')
    else name in ('lp:' || lp_id || ':available', 'lp:' || lp_id || ':locked', 'lp:' || lp_id || ':withdrawing') end
$$;
create function is_posting_of_kind(kind varchar, debit varchar, credit varchar, order_id bigint) returns boolean
  language sql immutable as $$
  select case kind
    when 'payout' then debit = 'platform:fees' and credit = 'outside' and order_id is null
    when 'compensation' then debit = 'platform:slashed' and (credit = 'outside' or credit like 'lp:%:available')
      and order_id is not null
    else true end
$$;
create table admin_posting (
  id bigserial primary key,
  kind varchar(16) not null,
  debit varchar(64) not null,
  debit_lp_id bigint,
  credit varchar(64) not null,
  credit_lp_id bigint,
  amount numeric(20,6) not null,
  reason varchar(500) not null,
  order_id bigint,
  chain varchar(16),
  tx_hash varchar(128),
  reference varchar(200),
  recorded_by varchar(100) not null,
  idempotency_key varchar(255) not null,
  created_at timestamptz(3) not null default now(),
  constraint admin_posting_idempotency_key_unique unique (idempotency_key),
  constraint admin_posting_kind_check check (kind in ('payout', 'compensation', 'adjustment')),
  constraint admin_posting_amount_positive check (amount > 0),
  constraint admin_posting_accounts_differ check (debit <> credit),
  constraint admin_posting_debit_known check (is_account(debit, debit_lp_id)),
  constraint admin_posting_credit_known check (is_account(credit, credit_lp_id)),
  constraint admin_posting_accounts_of_kind check (is_posting_of_kind(kind, debit, credit, order_id)),
  constraint admin_posting_transaction
    check ((chain is null) = (tx_hash is null) and (tx_hash is null or debit = 'outside' or credit = 'outside')),
  constraint admin_posting_debit_lp_id_foreign foreign key (debit_lp_id) references lp (id),
  constraint admin_posting_credit_lp_id_foreign foreign key (credit_lp_id) references lp (id),
  constraint admin_posting_order_id_foreign foreign key (order_id) references orders (id)
);

create table ledger_transfer (
  id bigserial primary key,
  key varchar(64) not null,
  debit varchar(64) not null,
  credit varchar(64) not null,
  amount numeric(20,6) not null,
  order_id bigint,
  deposit_id bigint,
  withdrawal_id bigint,
  posting_id bigint,
  created_at timestamptz(3) not null default now(),
  constraint ledger_transfer_key_unique unique (key),
  constraint ledger_transfer_amount_positive check (amount > 0),
  constraint ledger_transfer_accounts_differ check (debit <> credit),
  constraint ledger_transfer_order_id_foreign foreign key (order_id) references orders (id),
  constraint ledger_transfer_deposit_id_foreign foreign key (deposit_id) references collateral_deposit (id),
  constraint ledger_transfer_withdrawal_id_foreign
    foreign key (withdrawal_id) references collateral_withdrawal (id),
  constraint ledger_transfer_posting_id_foreign foreign key (posting_id) references admin_posting (id)
);
create index ledger_transfer_time on ledger_transfer (created_at, id);
create index ledger_transfer_debit on ledger_transfer (debit);
create index ledger_transfer_credit on ledger_transfer (credit);
create index ledger_transfer_fees on ledger_transfer (debit, id) where credit = 'platform:fees';
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
create table platform_account (
  name varchar(64) not null,
  balance numeric(20,6) not null default '0',
  primary key (name),
  constraint platform_account_not_negative check (balance >= 0)
);
insert into platform_account (name) values ('platform:fees'), ('platform:slashed');
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

create table lp_webhook (
  lp_id bigint not null,
  url varchar(2048) not null,
  events varchar(32)[] not null,
  secret bytea not null,
  previous_secret bytea,
  previous_expires_at timestamptz(3),
  since xid8 not null,
  failing_since timestamptz(3),
  last_error varchar(500),
  last_delivered_at timestamptz(3),
  stopped_at timestamptz(3),
  set_at timestamptz(3) not null default now(),
  created_at timestamptz(3) not null default now(),
  primary key (lp_id),
  constraint lp_webhook_lp_id_foreign foreign key (lp_id) references lp (id)
);

-- Webhooks that an LP has replaced or removed. Until `kept_until` they still receive warnings of a stolen key.
create table former_lp_webhook (
  id bigserial primary key,
  lp_id bigint not null,
  url varchar(2048) not null,
  events varchar(32)[] not null,
  secret bytea not null,
  began_at timestamptz(3) not null,
  ended_at timestamptz(3) not null default now(),
  kept_until timestamptz(3) not null,
  constraint former_lp_webhook_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index former_lp_webhook_lp_id on former_lp_webhook (lp_id);

-- Who receives warnings of a stolen key: an LP's present webhook, also a stopped one, and its former ones. A thief can replace
-- the webhook many times, so only the five count that were in use for the longest time. The LP's own is one of them.
create view warned_webhook as
  select lp_id, url, events, secret from lp_webhook
  union all
  select lp_id, url, events, secret from (
    select *, row_number() over (partition by lp_id order by ended_at - began_at desc, id) as place
    from former_lp_webhook where kept_until > now()
  ) former where place <= 5;

create table agent_webhook_secret (
  agent_key_id bigint not null,
  secret bytea not null,
  previous_secret bytea,
  previous_expires_at timestamptz(3),
  set_at timestamptz(3) not null default now(),
  primary key (agent_key_id),
  constraint agent_webhook_secret_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id)
);

-- A webhook about an LP's terms, addresses, webhooks or withdrawals has no order. Its body is written with it. A warning of a stolen key
-- keeps the URL that receives it: the thief could change the LP's webhook before the attempt.
create table webhook_delivery (
  id bigserial not null,
  order_id bigint,
  seq int,
  lp_id bigint,
  lp_event varchar(32),
  url varchar(2048),
  state varchar(16) not null default 'pending',
  body text,
  attempts int not null default 0,
  attempts_before int not null default 0,
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null default now(),
  finished_at timestamptz(3),
  primary key (id),
  constraint webhook_delivery_state_check check (state in ('pending', 'delivered', 'exhausted')),
  constraint webhook_delivery_receiver_check check ((lp_id is null) = (lp_event is null)),
  constraint webhook_delivery_order_check check (
    case when lp_event in ('lp.rate_expired', 'lp.float_low', 'lp.address_changed', 'lp.webhook_changed',
      'lp.withdrawal_requested') then order_id is null and seq is null and body is not null
    else order_id is not null and seq is not null end
  ),
  constraint webhook_delivery_url_check check ((url is not null) = coalesce(lp_event in ('lp.address_changed', 'lp.webhook_changed', 'lp.withdrawal_requested'), false)),
  constraint webhook_delivery_order_id_foreign foreign key (order_id) references orders (id),
  constraint webhook_delivery_lp_id_foreign foreign key (lp_id) references lp (id)
);
create unique index webhook_delivery_event on webhook_delivery (order_id, seq) where lp_id is null;
create unique index webhook_delivery_lp_event on webhook_delivery (order_id, seq, lp_id, lp_event)
  where lp_id is not null;
create index webhook_delivery_pending on webhook_delivery (order_id) where state = 'pending' and lp_id is null;
create index webhook_delivery_lp_pending on webhook_delivery (lp_id, order_id, id)
  where state = 'pending' and lp_id is not null;
create index webhook_delivery_warning_pending on webhook_delivery (lp_id, id) where state = 'pending' and url is not null;
create index webhook_delivery_lp_finished on webhook_delivery (finished_at) where lp_id is not null;
create index webhook_delivery_exhausted on webhook_delivery (id) where state = 'exhausted';

create table webhook_attempt (
  delivery_id bigint not null,
  attempt int not null,
  status_code int,
  error varchar(500),
  answer text,
  duration_ms int not null,
  created_at timestamptz(3) not null default now(),
  constraint webhook_attempt_answer_check check (octet_length(answer) <= 4096),
  primary key (delivery_id, attempt)
);

-- Feed, limits and upkeep

create table feed_cursor (
  reader varchar(32) not null,
  xid xid8 not null,
  order_id bigint not null,
  seq int not null,
  primary key (reader)
);

create table socket_slot (
  lp_id bigint not null,
  slot int not null,
  holder uuid not null,
  seen_at timestamptz(3) not null default now(),
  primary key (lp_id, slot),
  constraint socket_slot_lp_id_foreign foreign key (lp_id) references lp (id)
);
create index socket_slot_holder on socket_slot (holder);

-- Unlogged, because a count may start again after a crash, and a request must not wait for the disk.
create unlogged table rate_window (
  key varchar(200) not null,
  hits timestamptz[] not null,
  updated_at timestamptz(3) not null default now(),
  primary key (key)
);
create index rate_window_updated_at_index on rate_window (updated_at);

-- Unlogged, like `rate_window`.
create unlogged table agent_request_count (
  agent_key_id bigint not null,
  requests int not null,
  until timestamptz not null,
  primary key (agent_key_id),
  constraint agent_request_count_agent_key_id_foreign foreign key (agent_key_id) references agent_key (id)
);

create table process_heartbeat (
  id uuid not null,
  part varchar(16) not null,
  seen_at timestamptz(3) not null default now(),
  primary key (id)
);

create table service_heartbeat (
  id smallint not null default 1,
  recorded_at timestamptz(3) not null,
  good_until timestamptz(3) not null,
  outage_began_at timestamptz(3),
  outage_ended_at timestamptz(3),
  primary key (id),
  constraint service_heartbeat_single check (id = 1),
  constraint service_heartbeat_outage check ((outage_began_at is null) = (outage_ended_at is null))
);

create table chain_contact (
  chain varchar(16) not null,
  asked_at timestamptz(3) not null,
  silent_since timestamptz(3),
  primary key (chain)
);

create table reconciler_progress (
  id smallint not null default 1,
  last_run_at timestamptz(3) not null,
  started_workflows bigint not null,
  primary key (id),
  constraint reconciler_progress_single check (id = 1)
);

create table reserve_check (
  id smallint not null default 1,
  checked_at timestamptz(3) not null,
  good_until timestamptz(3) not null,
  owed numeric(24,6) not null,
  withdrawing numeric(24,6) not null,
  holdings jsonb not null,
  missing_since timestamptz(3),
  unexplained_since timestamptz(3),
  primary key (id),
  constraint reserve_check_single check (id = 1)
);
