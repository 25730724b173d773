-- What persons changed: see `src/db/entities/audit-event.ts`.

-- The time zone decides how JSON shows a time.
create function audit_hash(previous bytea, event audit_event) returns bytea language sql stable set timezone = 'UTC' as $$
  select sha256(coalesce(previous, ''::bytea) || convert_to((to_jsonb(event) - 'hash')::text, 'UTF8'))
$$;

create function audit_event_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception using errcode = 'restrict_violation',
    message = 'The audit is append-only: ' || lower(tg_op) || ' of audit_event is refused.';
end $$;
create trigger audit_event_append_only before update or delete or truncate on audit_event
  for each statement execute function audit_event_is_append_only();
alter table audit_event enable always trigger audit_event_append_only;

-- Who is acting, from the session: `src/db/audit-context.ts` sets it for the requests of persons.
create function audit_context() returns jsonb language sql stable as $$
  select coalesce(
    nullif(current_setting('corridor.audit', true), '')::jsonb,
    jsonb_build_object('actor', case current_setting('application_name')
      when 'corridor' then 'service' else 'database:' || session_user end)
  )
$$;

-- Appends one event. The lock makes the ids gapless, and one chain of all events. A transaction that waits here has done the
-- rest of its work, because the triggers below run when the transaction commits. It runs with the owner's rights: the service
-- itself cannot write the audit, so no event of its own making can break the chain.
create function append_audit(
  context jsonb, action text, object text, result text, before jsonb, after jsonb, reason text
) returns void language plpgsql security definer set search_path = public, pg_temp as $$
declare
  last audit_event;
  event audit_event;
begin
  perform pg_advisory_xact_lock(7266003);
  select * into last from audit_event order by id desc limit 1;
  event.id = coalesce(last.id, 0) + 1;
  event.at = clock_timestamp();
  event.actor = context ->> 'actor';
  event.actor_name = context ->> 'name';
  event.role = context ->> 'role';
  event.address = context ->> 'address';
  event.request_id = context ->> 'requestId';
  event.action = left(coalesce(context ->> 'action', action), 100);
  event.object = left(object, 100);
  event.result = left(result, 64);
  event.before = before;
  event.after = after;
  event.reason = left(coalesce(context ->> 'reason', reason), 500);
  event.hash = audit_hash(last.hash, event);
  insert into audit_event values (event.*);
end $$;

-- A row without secrets, phone numbers, the URLs of receivers and other hidden columns: of these only whether they are set.
create function audit_view(fields jsonb, hidden text[]) returns jsonb language sql immutable as $$
  select jsonb_object_agg(key, case
    when value <> 'null' and (key like '%key_hash' or key like '%secret' or key in ('mpesa_phone', 'url') or key = any (hidden))
    then '"…"' else value end)
  from jsonb_each(fields)
$$;

-- Writes the event of one changed row. Arguments: the column that identifies its object, the kind of the object, the
-- columns that the service keeps for itself, and the columns whose values the audit must not keep, because nobody could
-- remove them from it.
create function audit_row() returns trigger language plpgsql as $$
declare
  ignored text[] = coalesce(tg_argv[2], '{}')::text[];
  hidden text[] = coalesce(tg_argv[3], '{}')::text[];
  was jsonb = case tg_op when 'INSERT' then '{}' when 'UPDATE' then to_jsonb(old) - ignored
    else jsonb_strip_nulls(to_jsonb(old) - ignored) end;
  is_now jsonb = case tg_op when 'DELETE' then '{}' when 'UPDATE' then to_jsonb(new) - ignored
    else jsonb_strip_nulls(to_jsonb(new) - ignored) end;
  changed text[] = array(
    select key from jsonb_each(was || is_now) where was -> key is distinct from is_now -> key
  );
  id text = coalesce(is_now ->> tg_argv[0], was ->> tg_argv[0]);
begin
  if changed = '{}' then return null; end if;
  perform append_audit(
    audit_context(), lower(tg_op) || ' ' || tg_table_name, tg_argv[1] || ':' || id, 'done',
    nullif(audit_view((select jsonb_object_agg(key, value) from jsonb_each(was) where key = any(changed)), hidden), '{}'),
    nullif(audit_view((select jsonb_object_agg(key, value) from jsonb_each(is_now) where key = any(changed)), hidden), '{}'),
    is_now ->> 'reason'
  );
  return null;
end $$;

-- The command of an admin is carried out by a worker, which does not know the admin. The note of the request does: of the one whose
-- outcome this transaction has recorded, because another request of the same admin may wait.
create function audit_order_event() returns trigger language plpgsql as $$
declare
  context jsonb = (
    select note.context from request_note note join order_outcome outcome using (request_id)
    where note.order_id = new.order_id and note.context ->> 'actor' = new.actor
      and outcome.xmin = pg_current_xact_id()::xid
    limit 1
  );
begin
  perform append_audit(
    coalesce(context, jsonb_build_object('actor', new.actor)), new.cause, 'order:' || new.order_id, 'done',
    jsonb_build_object('status', new.from_status), jsonb_build_object('status', new.status), new.reason
  );
  return null;
end $$;

-- All of these run at the commit, so that nobody who holds another lock waits for the audit's.
create constraint trigger audit after insert or update or delete on admin deferrable initially deferred
  for each row execute function audit_row('id', 'admin', '{last_used_at,last_used_address}');
create constraint trigger audit after insert or update on session deferrable initially deferred
  for each row when (new.kind = 'admin') execute function audit_row('id', 'session', '{token_hash,last_used_at}');
create constraint trigger audit after insert or update or delete on agent_key deferrable initially deferred
  for each row execute function audit_row('id', 'agent_key', '{last_used_at,last_used_address}');
-- The creation of a key sets its first secret, and the service encrypts secrets again.
create constraint trigger audit after update on agent_webhook_secret deferrable initially deferred
  for each row when (old.set_at is distinct from new.set_at) execute function audit_row('agent_key_id', 'agent_key');
-- The body stays in its row, where masking can remove a recipient from it.
create constraint trigger audit after insert or update or delete on approval deferrable initially deferred
  for each row execute function audit_row('id', 'approval', '{attempt_until}', '{body}');
create constraint trigger audit after insert or update or delete on app_user deferrable initially deferred
  for each row execute function audit_row('id', 'user', '{}', '{name}');
create constraint trigger audit after insert or update or delete on pause deferrable initially deferred
  for each row execute function audit_row('id', 'pause');
create constraint trigger audit after insert or update or delete on incident deferrable initially deferred
  for each row execute function audit_row('id', 'incident');

-- A worker's progress is no act of a person.
create constraint trigger audit after insert or update on bulk_run deferrable initially deferred
  for each row execute function audit_row('id', 'bulk_run', '{token,selection,context,worked_at,finished_at}');
create constraint trigger audit after insert or update or delete on admin_posting deferrable initially deferred
  for each row execute function audit_row('id', 'posting', '{idempotency_key}');
create constraint trigger audit after insert or update or delete on lp deferrable initially deferred
  for each row execute function audit_row('id', 'lp');
create constraint trigger audit after insert or delete on lp_forgiveness deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp', '{id}');
create constraint trigger audit after insert or update or delete on lp_asset deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp', '{receive_key,created_at}');
create constraint trigger audit after insert on address_release deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp', '{id,receive_key,created_at}');
create constraint trigger audit after insert or update or delete on lp_auto_claim deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp', '{updated_at,offers_due_at,offered_at}');
create constraint trigger audit after insert or update or delete on lp_webhook deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp', '{since,set_at,failing_since,last_error,last_delivered_at}');
create constraint trigger audit after insert or update or delete on collateral_deposit deferrable initially deferred
  for each row execute function audit_row('id', 'deposit', '{lookups}');
create constraint trigger audit after insert or update or delete on collateral_withdrawal deferrable initially deferred
  for each row execute function audit_row('id', 'withdrawal', '{idempotency_key}');
-- Claims and endings of orders change the float of terms: only what the LP itself sets is worth an event.
create constraint trigger audit after insert or delete on lp_term deferrable initially deferred
  for each row execute function audit_row('lp_id', 'lp',
    '{float_reserved,expiry_reported,float_is_low,float_low_reported,float_back_at,changed,updated_at}');
create constraint trigger audit_update after update on lp_term deferrable initially deferred
  for each row when (old.updated_at is distinct from new.updated_at) execute function audit_row('lp_id', 'lp',
    '{float_reserved,expiry_reported,float_is_low,float_low_reported,float_back_at,changed,updated_at}');
create constraint trigger audit after insert on order_event deferrable initially deferred
  for each row when (new.actor like 'admin:%') execute function audit_order_event();
