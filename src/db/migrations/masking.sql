-- Masks the personal data of orders that have ended: see `src/retention`. Two functions, because the files of receipts are
-- deleted between them. No other statement can change who an order's fiat is for. Both run with the owner's rights, because
-- the service may not change events, notes and kept responses. `pg_temp` comes last, so that no temporary table takes the place
-- of one of these.

create function mask() returns varchar language sql immutable parallel safe return '•••';

-- The fields of an object, each masked.
create function mask_fields(fields jsonb) returns jsonb language sql immutable as $$
  select case when fields is null or fields = 'null' then fields else
    (select coalesce(jsonb_object_agg(key, mask()), '{}') from jsonb_each(fields)) end
$$;

-- A check of a recipient, without the name that it found.
create function mask_check(found jsonb) returns jsonb language sql immutable as $$
  select case when found ->> 'name_masked' is null then found
    else found || jsonb_build_object('name_masked', mask()) end
$$;

-- A text that a person wrote, without these words. A word of one or two characters is part of too many others.
create function mask_words(written text, words text[]) returns text language plpgsql immutable as $$
  declare
    word text;
  begin
    foreach word in array words loop
      if length(word) > 2 then written = replace(written, word, mask()); end if;
    end loop;
    return written;
  end $$;

-- The texts of an order that identify its recipient, the longest first.
create function recipient_words(of orders) returns text[] language sql stable as $$
  select array_agg(word order by length(word) desc)
  from (
    select of.recipient::text as word
    union select of.recipient_name where of.recipient_name is not null
    union select value from jsonb_each_text(coalesce(of.recipient_details, '{}'))
  ) words
$$;

-- Who an order's fiat is for never changes. Masking may remove it from an order that has ended, and changes nothing else.
create function refuse_other_recipient() returns trigger language plpgsql as $$
  declare
    masked text[] = array['recipient', 'recipient_name', 'recipient_details', 'recipient_check', 'receipt_url', 'status_reason'];
  begin
    if old.status in ('completed', 'cancelled') and old.masked_at is null
      and new.recipient = mask()
      and new.recipient_name is not distinct from (case when old.recipient_name is null then null else mask() end)
      and new.recipient_details is not distinct from mask_fields(old.recipient_details)
      and new.recipient_check is not distinct from mask_check(old.recipient_check)
      and new.receipt_url is null
      and new.status_reason is not distinct from mask_words(old.status_reason, recipient_words(old))
      and to_jsonb(new) - masked = to_jsonb(old) - masked
    then return new; end if;
    raise exception 'The recipient of order % cannot change. Masking can remove it, after the order has ended', old.id
      using errcode = 'restrict_violation', table = 'orders';
  end $$;
create trigger orders_keep_recipient
  before update of recipient, recipient_name, recipient_details, recipient_check on orders
  for each row execute function refuse_other_recipient();
-- The trigger must also stop a session with session_replication_role = replica.
alter table orders enable always trigger orders_keep_recipient;

-- The history of an order is append-only. Masking may remove personal data from the events of an order that has ended: the URL
-- of the receipt, and words of a reason. Every other part of the reason stays.
create function keep_event() returns trigger language plpgsql as $$
  declare
    kept text[] = array['reason', 'snapshot'];
    kept_reason text = replace(regexp_replace(new.reason, '([\\%_])', '\\\1', 'g'), mask(), '%');
  begin
    if tg_op = 'UPDATE' then
      if exists (
          select from orders
          where id = old.order_id and status in ('completed', 'cancelled') and masked_at is null and recipient = mask())
        and to_jsonb(new) - kept = to_jsonb(old) - kept
        and new.snapshot - 'receipt_url' = old.snapshot - 'receipt_url' and new.snapshot ->> 'receipt_url' is null
        and coalesce(old.reason like kept_reason, new.reason is null and old.reason is null)
      then return new; end if;
    end if;
    raise exception 'The events of orders are append-only: % of order_event is refused.', lower(tg_op)
      using errcode = 'restrict_violation', table = 'order_event';
  end $$;
create trigger order_event_keep before update on order_event for each row execute function keep_event();
create trigger order_event_append_only before delete or truncate on order_event
  for each statement execute function keep_event();
-- The triggers must also stop a session with session_replication_role = replica.
alter table order_event enable always trigger order_event_keep;
alter table order_event enable always trigger order_event_append_only;

-- Every condition on webhook_delivery says whether an LP receives it, because only the indexes of each kind have the order.

-- Masks these orders, and every copy except in webhooks. Returns the ids of those that have ended and whose webhooks are all
-- finished: Corridor sends no webhook with other bytes than before.
create function begin_masking(ids bigint[]) returns setof bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    due orders;
    words text[];
  begin
    for due in
      select * from orders
      where id = any (ids) and masked_at is null and status in ('completed', 'cancelled')
        and not exists (select from webhook_delivery d where d.order_id = orders.id and d.lp_id is null and d.state = 'pending')
        and not exists (select from webhook_delivery d where d.order_id = orders.id and d.lp_id is not null and d.state = 'pending')
      order by id for no key update
    loop
      words = recipient_words(due);
      update orders set recipient = mask(),
        recipient_name = case when recipient_name is null then null else mask() end,
        recipient_details = mask_fields(recipient_details),
        recipient_check = mask_check(recipient_check),
        receipt_url = null,
        status_reason = mask_words(status_reason, words)
      where id = due.id;
      update order_event set reason = mask_words(reason, words),
        snapshot = snapshot || '{"receipt_url": null}'
      where order_id = due.id and (snapshot ->> 'receipt_url' is not null or reason <> mask_words(reason, words));
      update request_note set reason = mask_words(reason, words) where order_id = due.id;
      update approval set body = body || jsonb_build_object('reason', mask_words(body ->> 'reason', words))
      where action like '%/api/admin/orders/:id/%' and ltrim(params ->> 'id', '0') = due.id::text
        and body ->> 'reason' <> mask_words(body ->> 'reason', words);
      update idempotency_key set response = response || jsonb_build_object('fiat_delivery', masked.delivery)
      from (
        select key as masked_key, response -> 'fiat_delivery'
          || jsonb_build_object('recipient', mask())
          || case when response #>> '{fiat_delivery,recipient_name}' is null then '{}'
            else jsonb_build_object('recipient_name', mask()) end
          || case when response #> '{fiat_delivery,recipient_details}' is null then '{}' else
            jsonb_build_object('recipient_details', mask_fields(response #> '{fiat_delivery,recipient_details}')) end
          || case when response #> '{fiat_delivery,recipient_check}' is null then '{}' else
            jsonb_build_object('recipient_check', mask_check(response #> '{fiat_delivery,recipient_check}')) end
          as delivery
        from idempotency_key where order_id = due.id
      ) masked
      where order_id = due.id and key = masked_key;
      update recipient_check set name_masked = mask()
      where id = due.recipient_check ->> 'recipient_check_id' and name_masked is not null;
      return next due.id;
    end loop;
  end $$;

-- Finishes the masking of these orders: removes the bodies of their webhooks and the answers to them, and the rows of the receipts whose files are
-- deleted. Returns the ids of the masked ones. An order with a receipt that still has a file, or with a webhook that is being
-- sent again, is left for the next time. The audit has one event about `object` for all of them.
create function end_masking(ids bigint[], deleted_receipts varchar[], object text) returns setof bigint
  language plpgsql security definer set search_path = public, pg_temp as $$
  declare
    done bigint[];
  begin
    -- Each statement sees what was committed before these locks: later uploads and redeliveries wait, and are refused then.
    perform from orders where id = any (ids) and masked_at is null and recipient = mask() order by id for no key update;
    perform from webhook_delivery where order_id = any (ids) and lp_id is null order by id for update;
    perform from webhook_delivery where order_id = any (ids) and lp_id is not null order by id for update;
    delete from receipt where order_id = any (ids) and receipt_key = any (deleted_receipts);
    select array_agg(id order by id) into done from orders
    where id = any (ids) and masked_at is null and recipient = mask() and status in ('completed', 'cancelled')
      and not exists (select from receipt where order_id = orders.id)
      and not exists (select from webhook_delivery d where d.order_id = orders.id and d.lp_id is null and d.state = 'pending')
      and not exists (select from webhook_delivery d where d.order_id = orders.id and d.lp_id is not null and d.state = 'pending');
    if done is null then return; end if;
    update webhook_attempt set answer = null from webhook_delivery d
    where d.order_id = any (done) and d.lp_id is null and delivery_id = d.id and answer is not null;
    update webhook_delivery set body = null where order_id = any (done) and lp_id is null;
    delete from webhook_attempt using webhook_delivery d
    where d.order_id = any (done) and d.lp_id is not null and delivery_id = d.id;
    delete from webhook_delivery where order_id = any (done) and lp_id is not null;
    update orders set masked_at = now() where id = any (done);
    perform append_audit(audit_context(), 'mask orders', object, 'done', null, jsonb_build_object('orders', done), null);
    return query select unnest(done);
  end $$;
