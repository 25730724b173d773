-- Made from src/db/entities by `npm run record:statements`.

create table "admin" (
  "id" bigserial primary key,
  "name" varchar(200) not null,
  "role" varchar(16) not null,
  "key_hash" bytea not null,
  "previous_key_hash" bytea null,
  "previous_expires_at" timestamptz(3) null,
  "older_key_hash" bytea null,
  "older_expires_at" timestamptz(3) null,
  "is_active" boolean not null default true,
  "expires_at" timestamptz(3) null,
  "allowed_ips" cidr[] null,
  "created_at" timestamptz(3) not null default now(),
  "last_used_at" timestamptz(3) null,
  "last_used_address" varchar(64) null,
  "oidc_issuer" varchar(500) null,
  "oidc_subject" varchar(255) null
);
alter table "admin" add constraint "admin_key_hash_unique" unique ("key_hash");
alter table "admin" add constraint "admin_previous_key_hash_unique" unique ("previous_key_hash");
alter table "admin" add constraint "admin_older_key_hash_unique" unique ("older_key_hash");
create unique index "admin_name_unique" on "admin" ((lower(name) collate "C")) where is_active and oidc_issuer is null;
alter table "admin" add constraint "admin_oidc_unique" unique ("oidc_issuer", "oidc_subject");
alter table "admin" add constraint "admin_role_check" check (role in ('viewer', 'support', 'risk', 'treasurer', 'owner'));

create table "agent_key" (
  "id" bigserial primary key,
  "name" varchar(200) null,
  "integrator_name" varchar(200) null,
  "key_hash" bytea not null,
  "previous_key_hash" bytea null,
  "previous_expires_at" timestamptz(3) null,
  "older_key_hash" bytea null,
  "older_expires_at" timestamptz(3) null,
  "rate_limit" int null,
  "max_exposure_usd" numeric(20,6) not null,
  "is_active" boolean not null default true,
  "scopes" varchar(16)[] null,
  "expires_at" timestamptz(3) null,
  "allowed_ips" cidr[] null,
  "created_at" timestamptz(3) not null default now(),
  "last_used_at" timestamptz(3) null,
  "last_used_address" varchar(64) null
);
alter table "agent_key" add constraint "agent_key_key_hash_unique" unique ("key_hash");
alter table "agent_key" add constraint "agent_key_previous_key_hash_unique" unique ("previous_key_hash");
alter table "agent_key" add constraint "agent_key_older_key_hash_unique" unique ("older_key_hash");
create index "agent_key_name" on "agent_key" ((lower(name) collate "C"), "id");
create index "agent_key_integrator_name" on "agent_key" ((lower(integrator_name) collate "C"), "id");
alter table "agent_key" add constraint "agent_key_rate_limit_positive" check (rate_limit > 0);
alter table "agent_key" add constraint "agent_key_max_exposure_not_negative" check (max_exposure_usd >= 0);

create table "agent_request_count" (
  "agent_key_id" bigint not null,
  "requests" int not null,
  "until" timestamptz not null,
  primary key ("agent_key_id")
);

create table "agent_webhook_secret" (
  "agent_key_id" bigint not null,
  "secret" bytea not null,
  "previous_secret" bytea null,
  "previous_expires_at" timestamptz(3) null,
  "set_at" timestamptz(3) not null default now(),
  primary key ("agent_key_id")
);

create table "approval" (
  "id" bigserial primary key,
  "action" varchar(100) not null,
  "params" jsonb not null,
  "query" jsonb not null,
  "body" jsonb not null,
  "idempotency_key" varchar(255) null,
  "preview" jsonb null,
  "proposed_by" varchar(64) not null,
  "status" varchar(16) not null default 'proposed',
  "decided_by" varchar(64) null,
  "decided_at" timestamptz(3) null,
  "attempt_until" timestamptz(3) null,
  "carried_out_at" timestamptz(3) null,
  "created_at" timestamptz(3) not null default now(),
  "expires_at" timestamptz(3) not null
);
alter table "approval" add constraint "approval_status_check" check (status in ('proposed', 'approved', 'rejected'));
alter table "approval" add constraint "approval_two_persons" check (status <> 'approved' or decided_by <> proposed_by);

create table "audit_event" (
  "id" bigint not null,
  "at" timestamptz(3) not null,
  "actor" varchar(64) not null,
  "actor_name" varchar(200) null,
  "role" varchar(16) null,
  "address" varchar(64) null,
  "request_id" varchar(200) null,
  "action" varchar(100) not null,
  "object" varchar(100) not null,
  "result" varchar(64) not null,
  "before" jsonb null,
  "after" jsonb null,
  "reason" varchar(500) null,
  "hash" bytea not null,
  primary key ("id")
);
create index "audit_event_actor" on "audit_event" ("actor", "id");
create index "audit_event_object" on "audit_event" ("object", "id");
create index "audit_event_request" on "audit_event" ("request_id");
create index "audit_event_at" on "audit_event" ("at");

create table "bulk_run" (
  "id" bigserial primary key,
  "action" varchar(32) not null,
  "arguments" jsonb not null,
  "filter" varchar(500) not null,
  "reason" varchar(300) not null,
  "created_by" varchar(64) not null,
  "created_at" timestamptz(3) not null default now(),
  "expires_at" timestamptz(3) not null,
  "token" uuid not null default gen_random_uuid(),
  "orders" int not null,
  "selection" jsonb not null,
  "started_at" timestamptz(3) null,
  "context" jsonb null,
  "worked_at" timestamptz(3) null,
  "stopped_at" timestamptz(3) null,
  "stopped_by" varchar(64) null,
  "finished_at" timestamptz(3) null
);
create index "bulk_run_unfinished" on "bulk_run" ("id") where started_at is not null and finished_at is null;
alter table "bulk_run" add constraint "bulk_run_action_check" check (action in ('extend', 'freeze', 'unfreeze', 'redeliver', 'cancel', 'retry-verification'));

create table "chain_contact" (
  "chain" varchar(16) not null,
  "asked_at" timestamptz(3) not null,
  "silent_since" timestamptz(3) null,
  primary key ("chain")
);

create table "feed_cursor" (
  "reader" varchar(32) not null,
  "xid" xid8 not null,
  "order_id" bigint not null,
  "seq" int not null,
  primary key ("reader")
);

create table "incident" (
  "id" bigserial primary key,
  "currency" varchar(3) null,
  "method" varchar(32) null,
  "chain" varchar(16) null,
  "reason" varchar(300) not null,
  "opened_at" timestamptz(3) not null default now(),
  "opened_by" varchar(64) not null,
  "closing_at" timestamptz(3) null,
  "closed_at" timestamptz(3) null,
  "closed_by" varchar(64) null
);
create unique index "incident_open" on "incident" (coalesce(currency, ''), coalesce(method, ''), coalesce(chain, '')) where closed_at is null;
alter table "incident" add constraint "incident_scope" check ((currency is null) <> (chain is null) and (method is null or currency is not null));
alter table "incident" add constraint "incident_closed" check ((closed_at is null) = (closed_by is null));

create table "oidc_sign_in" (
  "token_hash" bytea not null,
  "expires_at" timestamptz(3) not null,
  primary key ("token_hash")
);

create table "order_totals" (
  "id" smallint not null default 1,
  "xid" xid8 not null,
  "order_id" bigint not null,
  "seq" int not null,
  "completed" bigint not null,
  "cancelled" bigint not null,
  "fees_usd" numeric(20,6) not null,
  primary key ("id")
);
alter table "order_totals" add constraint "order_totals_single" check (id = 1);

create table "pause" (
  "id" bigserial primary key,
  "currency" varchar(3) null,
  "agent_key_id" bigint null,
  "reason" varchar(300) not null,
  "created_at" timestamptz(3) not null default now()
);
create unique index "pause_scope" on "pause" (coalesce(currency, ''), coalesce(agent_key_id, 0));

create table "platform_account" (
  "name" varchar(64) not null,
  "balance" numeric(20,6) not null default '0',
  primary key ("name")
);
alter table "platform_account" add constraint "platform_account_not_negative" check (balance >= 0);

create table "process_heartbeat" (
  "id" uuid not null,
  "part" varchar(16) not null,
  "seen_at" timestamptz(3) not null default now(),
  primary key ("id")
);

create table "rate_window" (
  "key" varchar(200) not null,
  "hits" timestamptz[] not null,
  "updated_at" timestamptz(3) not null default now(),
  primary key ("key")
);
create index "rate_window_updated_at_index" on "rate_window" ("updated_at");

create table "recipient_check" (
  "id" varchar(64) not null,
  "agent_key_id" bigint not null,
  "currency" varchar(3) not null,
  "method" varchar(32) not null,
  "recipient_hash" bytea not null,
  "name_hash" bytea null,
  "result" varchar(16) not null,
  "name_masked" varchar(64) null,
  "expires_at" timestamptz(3) not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("id")
);
create index "recipient_check_expires" on "recipient_check" ("expires_at");
alter table "recipient_check" add constraint "recipient_check_result_check" check (result in ('matched', 'partial', 'not_matched', 'unsupported', 'unavailable'));
alter table "recipient_check" add constraint "recipient_check_matched_name" check (name_masked is not null or result in ('not_matched', 'unsupported', 'unavailable'));

create table "reconciler_progress" (
  "id" smallint not null default 1,
  "last_run_at" timestamptz(3) not null,
  "started_workflows" bigint not null,
  primary key ("id")
);
alter table "reconciler_progress" add constraint "reconciler_progress_single" check (id = 1);

create table "reference_price" (
  "currency" varchar(3) not null,
  "per_usd" numeric(38,18) not null,
  "as_of" timestamptz(3) not null,
  "usable_until" timestamptz(3) not null,
  "changed" xid8 not null default feed_place(),
  primary key ("currency")
);
alter table "reference_price" add constraint "reference_price_positive" check (per_usd > 0);

create table "request_note" (
  "request_id" uuid not null,
  "order_id" bigint not null,
  "context" jsonb null,
  "reason" varchar(500) not null,
  "code" varchar(40) not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("request_id")
);
create index "request_note_created_at" on "request_note" ("created_at");
create index "request_note_order" on "request_note" ("order_id", "created_at");

create table "reserve_check" (
  "id" smallint not null default 1,
  "checked_at" timestamptz(3) not null,
  "good_until" timestamptz(3) not null,
  "owed" numeric(24,6) not null,
  "withdrawing" numeric(24,6) not null,
  "holdings" jsonb not null,
  "missing_since" timestamptz(3) null,
  "unexplained_since" timestamptz(3) null,
  primary key ("id")
);
alter table "reserve_check" add constraint "reserve_check_single" check (id = 1);

create table "reserved_amount" (
  "chain" varchar(16) not null,
  "symbol" varchar(16) not null,
  "purpose" varchar(8) not null,
  "amount" numeric(28,12) not null,
  "order_id" bigint null,
  "rate_lock_id" varchar(64) null,
  "deposit_id" bigint null,
  "withdrawal_id" bigint null,
  "expires_at" timestamptz(3) null,
  primary key ("chain", "symbol", "purpose", "amount")
);
create index "reserved_amount_expires" on "reserved_amount" ("expires_at") where expires_at is not null;
alter table "reserved_amount" add constraint "reserved_amount_purpose_check" check (purpose in ('order', 'deposit'));
alter table "reserved_amount" add constraint "reserved_amount_holder" check (case when purpose = 'deposit' then num_nonnulls(order_id, rate_lock_id) = 0 and num_nonnulls(deposit_id, withdrawal_id) > 0 else deposit_id is null and num_nonnulls(order_id, rate_lock_id, withdrawal_id) = 1 end and (expires_at is not null or num_nonnulls(order_id, withdrawal_id) > 0));

create table "sandbox_transaction" (
  "chain" varchar(16) not null,
  "tx_hash" varchar(128) not null,
  "symbol" varchar(16) not null,
  "to" varchar(128) not null,
  "destination_tag" bigint null,
  "amount" numeric(36,18) not null,
  "final_at" timestamptz(3) not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("chain", "tx_hash")
);

create table "service_heartbeat" (
  "id" smallint not null default 1,
  "recorded_at" timestamptz(3) not null,
  "good_until" timestamptz(3) not null,
  "outage_began_at" timestamptz(3) null,
  "outage_ended_at" timestamptz(3) null,
  primary key ("id")
);
alter table "service_heartbeat" add constraint "service_heartbeat_single" check (id = 1);
alter table "service_heartbeat" add constraint "service_heartbeat_outage" check ((outage_began_at is null) = (outage_ended_at is null));

create table "session" (
  "id" bigserial primary key,
  "token_hash" bytea not null,
  "kind" varchar(8) not null,
  "principal_id" bigint null,
  "key_hash" bytea null,
  "created_at" timestamptz(3) not null default now(),
  "last_used_at" timestamptz(3) not null default now(),
  "expires_at" timestamptz(3) not null,
  "ended_at" timestamptz(3) null,
  "address" varchar(64) null,
  "user_agent" varchar(200) null
);
alter table "session" add constraint "session_token_hash_unique" unique ("token_hash");
create index "session_expires_at_index" on "session" ("expires_at");
alter table "session" add constraint "session_kind_check" check (kind in ('admin', 'lp', 'agent'));
alter table "session" add constraint "session_of_somebody" check (principal_id is not null or kind = 'admin');

create table "unanswered_order" (
  "order_id" bigint not null,
  "asked_at" timestamptz(3) not null default now(),
  primary key ("order_id")
);

create table "app_user" (
  "id" bigserial primary key,
  "name" varchar(200) null,
  "created_at" timestamptz(3) not null default now()
);
create index "app_user_name" on "app_user" ((lower(name) collate "C"), "id");

create table "lp" (
  "id" bigserial primary key,
  "key_hash" bytea not null,
  "previous_key_hash" bytea null,
  "previous_expires_at" timestamptz(3) null,
  "older_key_hash" bytea null,
  "older_expires_at" timestamptz(3) null,
  "user_id" bigint not null,
  "xrpl_address" varchar(128) not null,
  "mpesa_phone" varchar(32) not null,
  "display_name" varchar(200) not null,
  "status" varchar(16) not null,
  "tier" smallint not null default 0,
  "spread_bps" int not null default 0,
  "created_at" timestamptz(3) not null default now(),
  "approved_at" timestamptz(3) null
);
alter table "lp" add constraint "lp_key_hash_unique" unique ("key_hash");
alter table "lp" add constraint "lp_previous_key_hash_unique" unique ("previous_key_hash");
alter table "lp" add constraint "lp_older_key_hash_unique" unique ("older_key_hash");
create index "lp_ever_approved" on "lp" ("id") where "approved_at" is not null;
create index "lp_display_name" on "lp" ((lower(display_name) collate "C"), "id");
alter table "lp" add constraint "lp_status_check" check (status in ('pending', 'approved', 'suspended'));
alter table "lp" add constraint "lp_tier_check" check (tier >= 0 and tier < 5);
alter table "lp" add constraint "lp_spread_bps_check" check (spread_bps >= 0 and spread_bps <= 10000);

create table "socket_slot" (
  "lp_id" bigint not null,
  "slot" int not null,
  "holder" uuid not null,
  "seen_at" timestamptz(3) not null default now(),
  primary key ("lp_id", "slot")
);
create index "socket_slot_holder" on "socket_slot" ("holder");

create table "orders" (
  "id" bigserial primary key,
  "payment_id" varchar(64) not null,
  "agent_key_id" bigint not null,
  "user_id" bigint not null,
  "lp_id" bigint null,
  "type" varchar(16) not null default 'payout',
  "amount_fiat" numeric(18,2) not null,
  "currency" varchar(3) not null,
  "rate_usd" numeric(20,8) not null,
  "spread_bps" int not null,
  "amount_usd" numeric(20,6) not null,
  "fee_usd" numeric(20,6) not null,
  "amount_crypto" numeric(28,12) not null,
  "crypto_symbol" varchar(16) not null,
  "crypto_chain" varchar(16) not null,
  "recipient" varchar(128) not null,
  "recipient_name" varchar(200) null,
  "method" varchar(32) not null,
  "corridor_method" varchar(32) not null,
  "institution" varchar(32) null,
  "recipient_details" jsonb null,
  "recipient_check" jsonb null,
  "callback_url" varchar(2048) null,
  "receipt_url" varchar(512) null,
  "status" varchar(32) not null,
  "status_reason" varchar(500) null,
  "status_reason_code" varchar(40) null,
  "version" int not null default 1,
  "lp_receive_address" varchar(128) null,
  "destination_tag" bigint null,
  "collateral_locked" numeric(20,6) null,
  "float_reserved" numeric(18,2) null,
  "claim_rate_usd" numeric(20,8) null,
  "user_crypto_tx_hash" varchar(128) null,
  "slashed_usd" numeric(20,6) null,
  "reoffers" int not null default 0,
  "rejections" int not null default 0,
  "replacements" int not null default 0,
  "rejected_tx_hashes" varchar(128)[] not null default '{}',
  "excluded_lp_ids" bigint[] not null default '{}',
  "expires_at" timestamptz(3) not null,
  "timeout_at" timestamptz(3) null,
  "deadline_set_at" timestamptz(3) not null default now(),
  "stage_ms" bigint[] not null,
  "frozen_ms" bigint null,
  "created_at" timestamptz(3) not null default now(),
  "completed_at" timestamptz(3) null,
  "cancelled_at" timestamptz(3) null,
  "masked_at" timestamptz(3) null,
  "traceparent" varchar(55) null
);
alter table "orders" add constraint "orders_payment_id_unique" unique ("payment_id");
create index "orders_agent" on "orders" ("agent_key_id", "id");
create index "orders_lp" on "orders" ("lp_id", "id");
create index "orders_created" on "orders" ("created_at");
create index "orders_user" on "orders" ("user_id", "id");
create index "orders_open" on "orders" ("id") where status = 'matched';
create index "orders_agent_live" on "orders" ("agent_key_id") where status not in ('completed', 'cancelled');
create index "orders_live" on "orders" ("id") where status not in ('completed', 'cancelled');
create index "orders_tx_hash" on "orders" ((regexp_replace(lower(trim(user_crypto_tx_hash)), '^0x', '')), "id") where user_crypto_tx_hash is not null;
create index "orders_unmasked" on "orders" ((coalesce(completed_at, cancelled_at)), "id") where masked_at is null and status in ('completed', 'cancelled');
create index "orders_excluded_lps" on "orders" using gin ("excluded_lp_ids") where excluded_lp_ids <> '{}';
alter table "orders" add constraint "orders_status_check" check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed'));
alter table "orders" add constraint "orders_status_reason_check" check ((status_reason is null) = (status_reason_code is null));
alter table "orders" add constraint "orders_amounts_positive" check (amount_fiat > 0 and amount_usd > 0 and amount_crypto > 0 and fee_usd >= 0);
alter table "orders" add constraint "orders_masked_when_ended" check (masked_at is null or (status in ('completed', 'cancelled') and recipient = '•••'));
alter table "orders" add constraint "orders_owner_known" check (status in ('matched', 'cancelled') or (lp_id is not null and lp_receive_address is not null and collateral_locked is not null));

create table "receipt" (
  "receipt_key" varchar(64) not null,
  "order_id" bigint not null,
  "lp_id" bigint not null,
  "content_type" varchar(64) not null,
  "size" int not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("receipt_key")
);
create index "receipt_order" on "receipt" ("order_id", "created_at");
alter table "receipt" add constraint "receipt_content_type_check" check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf', 'image/heic'));
alter table "receipt" add constraint "receipt_size_positive" check (size > 0);

create table "rate_lock" (
  "id" varchar(64) not null,
  "agent_key_id" bigint not null,
  "lp_id" bigint not null,
  "amount_fiat" numeric(18,2) not null,
  "currency" varchar(3) not null,
  "method" varchar(32) not null,
  "rate_usd" numeric(20,8) not null,
  "spread_bps" int not null,
  "amount_usd" numeric(20,6) not null,
  "fee_usd" numeric(20,6) not null,
  "amount_crypto" numeric(28,12) not null,
  "crypto_symbol" varchar(16) not null,
  "crypto_chain" varchar(16) not null,
  "expires_at" timestamptz(3) not null,
  "order_id" bigint null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("id")
);
create index "rate_lock_unused" on "rate_lock" ("expires_at") where order_id is null;

create table "payment_verdict" (
  "order_id" bigint not null,
  "version" int not null,
  "chain" varchar(16) not null,
  "tx_hash" varchar(128) not null,
  "kind" varchar(16) not null,
  "seen" varchar(500) null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("order_id", "version")
);
alter table "payment_verdict" add constraint "payment_verdict_kind_check" check (kind in ('not_found', 'pending', 'verified', 'invalid', 'replaced'));

create table "order_outcome" (
  "request_id" uuid not null,
  "order_id" bigint not null,
  "result" varchar(64) not null,
  "status" varchar(32) not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("request_id")
);
create index "order_outcome_created_at" on "order_outcome" ("created_at");

create table "order_event" (
  "order_id" bigint not null,
  "seq" int not null,
  "from_status" varchar(32) null,
  "status" varchar(32) not null,
  "actor" varchar(64) not null,
  "cause" varchar(64) not null,
  "reason" varchar(500) null,
  "reason_code" varchar(40) null,
  "snapshot" jsonb not null,
  "xid" xid8 not null default feed_place(),
  "created_at" timestamptz(3) not null default now(),
  primary key ("order_id", "seq")
);
create index "order_event_feed" on "order_event" ("xid", "order_id", "seq");
create index "order_event_time" on "order_event" using brin ("created_at") with (autosummarize = on);
alter table "order_event" add constraint "order_event_status_check" check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed'));
alter table "order_event" add constraint "order_event_reason_check" check ((reason is null) = (reason_code is null));

create table "idempotency_key" (
  "agent_key_id" bigint not null,
  "key" varchar(255) not null,
  "request_hash" bytea not null,
  "order_id" bigint not null,
  "response" jsonb not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("agent_key_id", "key")
);
create index "idempotency_key_order" on "idempotency_key" ("order_id");

create table "chain_transaction" (
  "chain" varchar(16) not null,
  "tx_hash" varchar(128) not null,
  "order_id" bigint null,
  "deposit_id" bigint null,
  "withdrawal_id" bigint null,
  "posting_id" bigint null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("chain", "tx_hash")
);
create index "chain_transaction_order" on "chain_transaction" ("order_id");

create table "bulk_order" (
  "bulk_run_id" bigint not null,
  "order_id" bigint not null,
  "status" varchar(32) not null,
  "version" int not null,
  "attempts" int not null default 0,
  "outcome" varchar(16) null,
  "reason" varchar(64) null,
  "treated_at" timestamptz(3) null,
  primary key ("bulk_run_id", "order_id")
);
create index "bulk_order_untreated" on "bulk_order" ("bulk_run_id", "attempts", "order_id") where outcome is null;
alter table "bulk_order" add constraint "bulk_order_status_check" check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed'));
alter table "bulk_order" add constraint "bulk_order_outcome_check" check (outcome in ('applied', 'already', 'moved', 'refused', 'unanswered'));

create table "lp_webhook" (
  "lp_id" bigint not null,
  "url" varchar(2048) not null,
  "events" varchar(32)[] not null,
  "secret" bytea not null,
  "previous_secret" bytea null,
  "previous_expires_at" timestamptz(3) null,
  "since" xid8 not null,
  "failing_since" timestamptz(3) null,
  "last_error" varchar(500) null,
  "last_delivered_at" timestamptz(3) null,
  "stopped_at" timestamptz(3) null,
  "set_at" timestamptz(3) not null default now(),
  "created_at" timestamptz(3) not null default now(),
  primary key ("lp_id")
);

create table "lp_term" (
  "lp_id" bigint not null,
  "currency" varchar(3) not null,
  "method" varchar(32) not null,
  "rate_usd" numeric(20,8) null,
  "offset_bps" int null,
  "valid_until" timestamptz(3) not null,
  "min_fiat" numeric(20,2) not null default '0',
  "max_fiat" numeric(20,2) null,
  "float_available" numeric(20,2) null,
  "float_reserved" numeric(20,2) not null default '0',
  "float_low" numeric(20,2) null,
  "quoting" boolean not null default true,
  "expiry_reported" timestamptz(3) null,
  "float_is_low" boolean generated always as (coalesce(float_available < float_low, false)) stored not null,
  "float_low_reported" boolean not null default false,
  "float_back_at" timestamptz(3) null,
  "narrowed_at" timestamptz(3) null,
  "changed" xid8 not null default feed_place(),
  "updated_at" timestamptz(3) not null default now(),
  primary key ("lp_id", "currency", "method")
);
create index "lp_term_corridor" on "lp_term" ("currency", "method");
create index "lp_term_changed" on "lp_term" ("changed");
create index "lp_term_expiry" on "lp_term" ("valid_until") where quoting and expiry_reported is distinct from valid_until;
create index "lp_term_low" on "lp_term" ("lp_id") where quoting and float_is_low and not float_low_reported;
alter table "lp_term" add constraint "lp_term_one_price" check ((rate_usd is null) <> (offset_bps is null));
alter table "lp_term" add constraint "lp_term_rate_positive" check (rate_usd > 0);
alter table "lp_term" add constraint "lp_term_offset_plausible" check (offset_bps >= -1000 and offset_bps <= 1000);
alter table "lp_term" add constraint "lp_term_band" check (min_fiat >= 0 and max_fiat >= min_fiat);
alter table "lp_term" add constraint "lp_term_float_available_not_negative" check (float_available >= 0);
alter table "lp_term" add constraint "lp_term_float_reserved_not_negative" check (float_reserved >= 0);

create table "lp_statistics" (
  "lp_id" bigint not null,
  "orders_completed" int not null,
  "recent_outcomes" boolean[] not null,
  "recent_completed" int not null,
  "recent_failed_claims" int not null,
  "recent_quotes" boolean[] not null,
  "recent_unclaimed" int not null,
  "ranks_last_until" timestamptz(3) null,
  "recent_fiat_seconds" int[] not null,
  "median_fiat_seconds" int null,
  "updated_at" timestamptz(3) not null default now(),
  primary key ("lp_id")
);

create table "lp_forgiveness" (
  "id" bigserial primary key,
  "lp_id" bigint not null,
  "reason" varchar(500) not null,
  "created_at" timestamptz(3) not null default now()
);

create table "lp_strike" (
  "order_id" bigint not null,
  "seq" int not null,
  "lp_id" bigint not null,
  "forgiveness_id" bigint null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("order_id", "seq")
);
create index "lp_strike_of_lp" on "lp_strike" ("lp_id", "created_at") where forgiveness_id is null;
create index "lp_strike_recent" on "lp_strike" ("created_at") where forgiveness_id is null;

create table "lp_collateral" (
  "lp_id" bigint not null,
  "available" numeric(20,6) not null default '0',
  "locked" numeric(20,6) not null default '0',
  "withdrawing" numeric(20,6) not null default '0',
  primary key ("lp_id")
);
alter table "lp_collateral" add constraint "lp_collateral_available_not_negative" check (available >= 0);
alter table "lp_collateral" add constraint "lp_collateral_locked_not_negative" check (locked >= 0);
alter table "lp_collateral" add constraint "lp_collateral_withdrawing_not_negative" check (withdrawing >= 0);

create table "lp_auto_claim" (
  "lp_id" bigint not null,
  "enabled" boolean not null,
  "max_amount_usd" numeric(20,6) null,
  "currencies" varchar(3)[] null,
  "min_profit_usd" numeric(20,6) not null default '0',
  "updated_at" timestamptz(3) not null default now(),
  "offers_due_at" timestamptz(3) null,
  "offered_at" timestamptz(3) null,
  primary key ("lp_id")
);
create index "lp_auto_claim_enabled" on "lp_auto_claim" ("lp_id") where enabled;

create table "lp_asset" (
  "lp_id" bigint not null,
  "symbol" varchar(16) not null,
  "chain" varchar(16) not null,
  "address" varchar(128) not null,
  "destination_tag" bigint null,
  "receive_key" varchar(160) generated always as (receive_key(chain, address, destination_tag)) stored not null,
  "previous_address" varchar(128) null,
  "previous_destination_tag" bigint null,
  "previous_until" timestamptz(3) null,
  "added" xid8 not null default feed_place(),
  "created_at" timestamptz(3) not null default now(),
  primary key ("lp_id", "symbol", "chain")
);
create index "lp_asset_receive_key" on "lp_asset" ("chain", "receive_key");
create index "lp_asset_added" on "lp_asset" ("added");
alter table "lp_asset" add constraint "lp_asset_destination_tag_check" check (chain = 'xrpl' or destination_tag is null);
alter table "lp_asset" add constraint "lp_asset_previous_check" check (previous_until is null or previous_address is not null);

create table "lp_address" (
  "chain" varchar(16) not null,
  "receive_key" varchar(160) not null,
  "lp_id" bigint not null,
  "vacated_at" timestamptz(3) null,
  primary key ("chain", "receive_key")
);

create table "free_release" (
  "order_id" bigint not null,
  "seq" int not null,
  "lp_id" bigint not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("order_id", "seq")
);
create index "free_release_of_lp" on "free_release" ("lp_id", "created_at");

create table "former_lp_webhook" (
  "id" bigserial primary key,
  "lp_id" bigint not null,
  "url" varchar(2048) not null,
  "events" varchar(32)[] not null,
  "secret" bytea not null,
  "began_at" timestamptz(3) not null,
  "ended_at" timestamptz(3) not null default now(),
  "kept_until" timestamptz(3) not null
);
create index "former_lp_webhook_lp_id" on "former_lp_webhook" ("lp_id");

create table "collateral_withdrawal" (
  "id" bigserial primary key,
  "lp_id" bigint not null,
  "amount" numeric(20,6) not null,
  "asset" varchar(16) not null,
  "chain" varchar(16) not null,
  "address" varchar(128) not null,
  "status" varchar(16) not null default 'requested',
  "idempotency_key" varchar(255) null,
  "tx_hash" varchar(128) null,
  "reason" varchar(500) null,
  "created_at" timestamptz(3) not null default now(),
  "decided_at" timestamptz(3) null
);
create index "collateral_withdrawal_lp" on "collateral_withdrawal" ("lp_id", "id");
create index "collateral_withdrawal_amount" on "collateral_withdrawal" ("amount", "asset", "chain");
alter table "collateral_withdrawal" add constraint "collateral_withdrawal_key" unique ("lp_id", "idempotency_key");
create unique index "collateral_withdrawal_open" on "collateral_withdrawal" ("lp_id", "amount", "asset", "chain", "address") where status = 'requested' and idempotency_key is null;
alter table "collateral_withdrawal" add constraint "collateral_withdrawal_amount_positive" check (amount > 0);
alter table "collateral_withdrawal" add constraint "collateral_withdrawal_status_check" check (status in ('requested', 'paid', 'rejected'));
alter table "collateral_withdrawal" add constraint "collateral_withdrawal_decided" check ((status = 'requested') = (decided_at is null) and (status = 'rejected') = (reason is not null));

create table "collateral_deposit" (
  "id" bigserial primary key,
  "lp_id" bigint not null,
  "amount" numeric(20,6) not null,
  "asset" varchar(16) not null,
  "chain" varchar(16) not null,
  "tx_hash" varchar(128) null,
  "status" varchar(16) not null default 'pending',
  "lookups" int not null default 0,
  "created_at" timestamptz(3) not null default now(),
  "expires_at" timestamptz(3) not null,
  "confirmed_at" timestamptz(3) null
);
create index "collateral_deposit_lp" on "collateral_deposit" ("lp_id", "id");
create index "collateral_deposit_pending" on "collateral_deposit" ("lp_id", "expires_at") where status = 'pending';
alter table "collateral_deposit" add constraint "collateral_deposit_amount_positive" check (amount > 0);
alter table "collateral_deposit" add constraint "collateral_deposit_status_check" check (status in ('pending', 'confirmed'));

create table "admin_posting" (
  "id" bigserial primary key,
  "kind" varchar(16) not null,
  "debit" varchar(64) not null,
  "debit_lp_id" bigint null,
  "credit" varchar(64) not null,
  "credit_lp_id" bigint null,
  "amount" numeric(20,6) not null,
  "reason" varchar(500) not null,
  "order_id" bigint null,
  "chain" varchar(16) null,
  "tx_hash" varchar(128) null,
  "reference" varchar(200) null,
  "recorded_by" varchar(100) not null,
  "idempotency_key" varchar(255) not null,
  "created_at" timestamptz(3) not null default now()
);
alter table "admin_posting" add constraint "admin_posting_idempotency_key_unique" unique ("idempotency_key");
alter table "admin_posting" add constraint "admin_posting_kind_check" check (kind in ('payout', 'compensation', 'adjustment'));
alter table "admin_posting" add constraint "admin_posting_amount_positive" check (amount > 0);
alter table "admin_posting" add constraint "admin_posting_accounts_differ" check (debit <> credit);
alter table "admin_posting" add constraint "admin_posting_debit_known" check (is_account(debit, debit_lp_id));
alter table "admin_posting" add constraint "admin_posting_credit_known" check (is_account(credit, credit_lp_id));
alter table "admin_posting" add constraint "admin_posting_accounts_of_kind" check (is_posting_of_kind(kind, debit, credit, order_id));
alter table "admin_posting" add constraint "admin_posting_transaction" check ((chain is null) = (tx_hash is null) and (tx_hash is null or debit = 'outside' or credit = 'outside'));

create table "ledger_transfer" (
  "id" bigserial primary key,
  "key" varchar(64) not null,
  "debit" varchar(64) not null,
  "credit" varchar(64) not null,
  "amount" numeric(20,6) not null,
  "order_id" bigint null,
  "deposit_id" bigint null,
  "withdrawal_id" bigint null,
  "posting_id" bigint null,
  "created_at" timestamptz(3) not null default now()
);
alter table "ledger_transfer" add constraint "ledger_transfer_key_unique" unique ("key");
create index "ledger_transfer_time" on "ledger_transfer" ("created_at", "id");
create index "ledger_transfer_debit" on "ledger_transfer" ("debit");
create index "ledger_transfer_credit" on "ledger_transfer" ("credit");
create index "ledger_transfer_fees" on "ledger_transfer" ("debit", "id") where credit = 'platform:fees';
alter table "ledger_transfer" add constraint "ledger_transfer_amount_positive" check (amount > 0);
alter table "ledger_transfer" add constraint "ledger_transfer_accounts_differ" check (debit <> credit);

create table "address_release" (
  "id" bigserial primary key,
  "lp_id" bigint not null,
  "chain" varchar(16) not null,
  "receive_key" varchar(160) not null,
  "symbols" varchar(16)[] not null,
  "reason" varchar(500) not null,
  "created_at" timestamptz(3) not null default now()
);
create index "address_release_address" on "address_release" ("lp_id", "chain", "receive_key");

create table "webhook_attempt" (
  "delivery_id" bigint not null,
  "attempt" int not null,
  "status_code" int null,
  "error" varchar(500) null,
  "answer" text null,
  "duration_ms" int not null,
  "created_at" timestamptz(3) not null default now(),
  primary key ("delivery_id", "attempt")
);
alter table "webhook_attempt" add constraint "webhook_attempt_answer_check" check (char_length(answer) <= 200);

create table "webhook_delivery" (
  "id" bigserial primary key,
  "order_id" bigint null,
  "seq" int null,
  "lp_id" bigint null,
  "lp_event" varchar(32) null,
  "url" varchar(2048) null,
  "state" varchar(16) not null default 'pending',
  "body" text null,
  "attempts" int not null default 0,
  "attempts_before" int not null default 0,
  "next_attempt_at" timestamptz(3) null,
  "created_at" timestamptz(3) not null default now(),
  "finished_at" timestamptz(3) null
);
create unique index "webhook_delivery_event" on "webhook_delivery" ("order_id", "seq") where lp_id is null;
create unique index "webhook_delivery_lp_event" on "webhook_delivery" ("order_id", "seq", "lp_id", "lp_event") where lp_id is not null;
create index "webhook_delivery_lp_pending" on "webhook_delivery" ("lp_id", "order_id", "id") where state = 'pending' and lp_id is not null;
create index "webhook_delivery_warning_pending" on "webhook_delivery" ("lp_id", "id") where state = 'pending' and url is not null;
create index "webhook_delivery_lp_finished" on "webhook_delivery" ("finished_at") where lp_id is not null;
create index "webhook_delivery_pending" on "webhook_delivery" ("order_id") where state = 'pending' and lp_id is null;
create index "webhook_delivery_exhausted" on "webhook_delivery" ("id") where state = 'exhausted';
alter table "webhook_delivery" add constraint "webhook_delivery_state_check" check (state in ('pending', 'delivered', 'exhausted'));
alter table "webhook_delivery" add constraint "webhook_delivery_receiver_check" check ((lp_id is null) = (lp_event is null));
alter table "webhook_delivery" add constraint "webhook_delivery_order_check" check (case when lp_event in ('lp.rate_expired', 'lp.float_low', 'lp.address_changed', 'lp.webhook_changed', 'lp.withdrawal_requested') then order_id is null and seq is null and body is not null else order_id is not null and seq is not null end);
alter table "webhook_delivery" add constraint "webhook_delivery_url_check" check ((url is not null) = coalesce(lp_event in ('lp.address_changed', 'lp.webhook_changed', 'lp.withdrawal_requested'), false));

alter table "agent_request_count" add constraint "agent_request_count_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;

alter table "agent_webhook_secret" add constraint "agent_webhook_secret_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;

alter table "pause" add constraint "pause_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;

alter table "recipient_check" add constraint "recipient_check_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;

alter table "lp" add constraint "lp_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on update no action on delete no action;

alter table "socket_slot" add constraint "socket_slot_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "orders" add constraint "orders_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;
alter table "orders" add constraint "orders_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on update no action on delete no action;
alter table "orders" add constraint "orders_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "receipt" add constraint "receipt_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;
alter table "receipt" add constraint "receipt_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "rate_lock" add constraint "rate_lock_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;
alter table "rate_lock" add constraint "rate_lock_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;
alter table "rate_lock" add constraint "rate_lock_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "payment_verdict" add constraint "payment_verdict_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "order_outcome" add constraint "order_outcome_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "order_event" add constraint "order_event_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "idempotency_key" add constraint "idempotency_key_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;
alter table "idempotency_key" add constraint "idempotency_key_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "chain_transaction" add constraint "chain_transaction_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "bulk_order" add constraint "bulk_order_bulk_run_id_foreign" foreign key ("bulk_run_id") references "bulk_run" ("id") on update no action on delete no action;
alter table "bulk_order" add constraint "bulk_order_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "lp_webhook" add constraint "lp_webhook_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_term" add constraint "lp_term_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_statistics" add constraint "lp_statistics_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_forgiveness" add constraint "lp_forgiveness_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_strike" add constraint "lp_strike_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;
alter table "lp_strike" add constraint "lp_strike_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;
alter table "lp_strike" add constraint "lp_strike_forgiveness_id_foreign" foreign key ("forgiveness_id") references "lp_forgiveness" ("id") on update no action on delete no action;

alter table "lp_collateral" add constraint "lp_collateral_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_auto_claim" add constraint "lp_auto_claim_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_asset" add constraint "lp_asset_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "lp_address" add constraint "lp_address_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "free_release" add constraint "free_release_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;
alter table "free_release" add constraint "free_release_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "former_lp_webhook" add constraint "former_lp_webhook_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "collateral_withdrawal" add constraint "collateral_withdrawal_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "collateral_deposit" add constraint "collateral_deposit_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "admin_posting" add constraint "admin_posting_debit_lp_id_foreign" foreign key ("debit_lp_id") references "lp" ("id") on update no action on delete no action;
alter table "admin_posting" add constraint "admin_posting_credit_lp_id_foreign" foreign key ("credit_lp_id") references "lp" ("id") on update no action on delete no action;
alter table "admin_posting" add constraint "admin_posting_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;

alter table "ledger_transfer" add constraint "ledger_transfer_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;
alter table "ledger_transfer" add constraint "ledger_transfer_deposit_id_foreign" foreign key ("deposit_id") references "collateral_deposit" ("id") on update no action on delete no action;
alter table "ledger_transfer" add constraint "ledger_transfer_withdrawal_id_foreign" foreign key ("withdrawal_id") references "collateral_withdrawal" ("id") on update no action on delete no action;
alter table "ledger_transfer" add constraint "ledger_transfer_posting_id_foreign" foreign key ("posting_id") references "admin_posting" ("id") on update no action on delete no action;

alter table "address_release" add constraint "address_release_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;

alter table "webhook_delivery" add constraint "webhook_delivery_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;
alter table "webhook_delivery" add constraint "webhook_delivery_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;
