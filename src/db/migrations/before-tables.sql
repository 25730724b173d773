-- The functions that columns and CHECKs call.

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

-- One spelling for each receive address of a chain: EVM addresses compare without case. An XRPL destination tag is part
-- of the address.
create function receive_key(chain varchar, address varchar, destination_tag bigint) returns varchar
  language sql immutable parallel safe
  return case when chain in ('eth', 'polygon', 'base') then lower(address) else address end
    || coalesce(':' || destination_tag, '');

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
