import { Migration } from '@mikro-orm/migrations';

export class Migration20261121133455_initial extends Migration {
  override name = 'Migration20261121133455_initial';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "agent_key" ("id" bigserial primary key, "name" varchar(200) null, "integrator_name" varchar(200) null, "key_hash" bytea not null, "rate_limit" int null, "is_active" boolean not null default true, "created_at" timestamptz(3) not null default now(), "last_used_at" timestamptz(3) null);`,
    );
    this.addSql(`alter table "agent_key" add constraint "agent_key_key_hash_unique" unique ("key_hash");`);

    this.addSql(
      `create table "rate_window" ("key" varchar(200) not null, "hits" timestamptz[] not null, "updated_at" timestamptz(3) not null default now(), primary key ("key"));`,
    );
    this.addSql(`create index "rate_window_updated_at_index" on "rate_window" ("updated_at");`);

    this.addSql(
      `create table "sandbox_transaction" ("chain" varchar(16) not null, "tx_hash" varchar(128) not null, "symbol" varchar(16) not null, "to" varchar(128) not null, "amount" numeric(36,18) not null, "final_at" timestamptz(3) not null, "created_at" timestamptz(3) not null default now(), primary key ("chain", "tx_hash"));`,
    );

    this.addSql(
      `create table "app_user" ("id" bigserial primary key, "name" varchar(200) null, "created_at" timestamptz(3) not null default now());`,
    );

    this.addSql(
      `create table "lp" ("id" bigserial primary key, "key_hash" bytea not null, "user_id" bigint not null, "xrpl_address" varchar(128) not null, "mpesa_phone" varchar(32) not null, "display_name" varchar(200) not null, "status" varchar(16) not null, "tier" smallint not null default 0, "spread_bps" int not null default 0, "strikes" int not null default 0, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "lp" add constraint "lp_key_hash_unique" unique ("key_hash");`);
    this.addSql(
      `alter table "lp" add constraint "lp_status_check" check (status in ('pending', 'approved', 'suspended'));`,
    );
    this.addSql(`alter table "lp" add constraint "lp_tier_check" check (tier >= 0 and tier < 5);`);
    this.addSql(
      `alter table "lp" add constraint "lp_spread_bps_check" check (spread_bps >= 0 and spread_bps <= 10000);`,
    );

    this.addSql(
      `create table "orders" ("id" bigserial primary key, "payment_id" varchar(64) not null, "agent_key_id" bigint not null, "user_id" bigint not null, "lp_id" bigint null, "type" varchar(16) not null default 'payout', "amount_fiat" numeric(18,2) not null, "currency" varchar(3) not null, "rate_usd" numeric(20,8) not null, "spread_bps" int not null, "amount_usd" numeric(20,6) not null, "fee_usd" numeric(20,6) not null, "amount_crypto" numeric(24,6) not null, "crypto_symbol" varchar(16) not null, "crypto_chain" varchar(16) not null, "recipient" varchar(128) not null, "recipient_name" varchar(200) null, "method" varchar(32) not null, "callback_url" varchar(2048) null, "receipt_url" varchar(512) null, "status" varchar(32) not null, "status_reason" varchar(500) null, "version" int not null default 1, "lp_receive_address" varchar(128) null, "collateral_locked" numeric(20,6) null, "user_crypto_tx_hash" varchar(128) null, "reoffers" int not null default 0, "rejections" int not null default 0, "excluded_lp_ids" bigint[] not null default '{}', "expires_at" timestamptz(3) not null, "timeout_at" timestamptz(3) null, "created_at" timestamptz(3) not null default now(), "completed_at" timestamptz(3) null, "cancelled_at" timestamptz(3) null);`,
    );
    this.addSql(`alter table "orders" add constraint "orders_payment_id_unique" unique ("payment_id");`);
    this.addSql(`create index "orders_agent" on "orders" ("agent_key_id", "id");`);
    this.addSql(`create index "orders_lp" on "orders" ("lp_id", "id");`);
    this.addSql(
      `create index "orders_live" on "orders" ("id") where status not in ('completed', 'cancelled');`,
    );
    this.addSql(
      `alter table "orders" add constraint "orders_status_check" check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed'));`,
    );
    this.addSql(
      `alter table "orders" add constraint "orders_amounts_positive" check (amount_fiat > 0 and amount_usd > 0 and amount_crypto > 0 and fee_usd >= 0);`,
    );
    this.addSql(
      `alter table "orders" add constraint "orders_owner_known" check (status in ('matched', 'cancelled') or (lp_id is not null and lp_receive_address is not null and collateral_locked is not null));`,
    );

    this.addSql(
      `create table "order_outcome" ("request_id" uuid not null, "order_id" bigint not null, "result" varchar(64) not null, "status" varchar(32) not null, "created_at" timestamptz(3) not null default now(), primary key ("request_id"));`,
    );
    this.addSql(`create index "order_outcome_created_at" on "order_outcome" ("created_at");`);

    this.addSql(
      `create table "order_event" ("order_id" bigint not null, "seq" int not null, "from_status" varchar(32) null, "status" varchar(32) not null, "actor" varchar(64) not null, "cause" varchar(64) not null, "reason" varchar(500) null, "snapshot" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("order_id", "seq"));`,
    );
    this.addSql(
      `alter table "order_event" add constraint "order_event_status_check" check (status in ('matched', 'claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed', 'cancelled', 'disputed'));`,
    );

    this.addSql(
      `create table "idempotency_key" ("agent_key_id" bigint not null, "key" varchar(255) not null, "request_hash" bytea not null, "order_id" bigint not null, "response" jsonb not null, "created_at" timestamptz(3) not null default now(), primary key ("agent_key_id", "key"));`,
    );

    this.addSql(
      `create table "chain_transaction" ("chain" varchar(16) not null, "tx_hash" varchar(128) not null, "order_id" bigint null, "deposit_id" bigint null, "created_at" timestamptz(3) not null default now(), primary key ("chain", "tx_hash"));`,
    );

    this.addSql(
      `create table "lp_rate" ("lp_id" bigint not null, "currency" varchar(3) not null, "rate_usd" numeric(20,8) not null, "updated_at" timestamptz(3) not null default now(), primary key ("lp_id", "currency"));`,
    );
    this.addSql(`create index "lp_rate_currency" on "lp_rate" ("currency");`);
    this.addSql(`alter table "lp_rate" add constraint "lp_rate_positive" check (rate_usd > 0);`);

    this.addSql(
      `create table "lp_collateral" ("lp_id" bigint not null, "available" numeric(20,6) not null default '0', "locked" numeric(20,6) not null default '0', primary key ("lp_id"));`,
    );
    this.addSql(
      `alter table "lp_collateral" add constraint "lp_collateral_available_not_negative" check (available >= 0);`,
    );
    this.addSql(
      `alter table "lp_collateral" add constraint "lp_collateral_locked_not_negative" check (locked >= 0);`,
    );

    this.addSql(
      `create table "lp_asset" ("lp_id" bigint not null, "symbol" varchar(16) not null, "chain" varchar(16) not null, "address" varchar(128) not null, "created_at" timestamptz(3) not null default now(), primary key ("lp_id", "symbol", "chain"));`,
    );

    this.addSql(
      `create table "collateral_deposit" ("id" bigserial primary key, "lp_id" bigint not null, "amount" numeric(20,6) not null, "asset" varchar(16) not null, "chain" varchar(16) not null, "tx_hash" varchar(128) null, "status" varchar(16) not null default 'pending', "created_at" timestamptz(3) not null default now(), "confirmed_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "collateral_deposit_lp" on "collateral_deposit" ("lp_id", "id");`);
    this.addSql(
      `alter table "collateral_deposit" add constraint "collateral_deposit_amount_positive" check (amount > 0);`,
    );
    this.addSql(
      `alter table "collateral_deposit" add constraint "collateral_deposit_status_check" check (status in ('pending', 'confirmed'));`,
    );

    this.addSql(
      `create table "ledger_transfer" ("id" bigserial primary key, "key" varchar(64) not null, "debit" varchar(64) not null, "credit" varchar(64) not null, "amount" numeric(20,6) not null, "order_id" bigint null, "deposit_id" bigint null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(`alter table "ledger_transfer" add constraint "ledger_transfer_key_unique" unique ("key");`);
    this.addSql(`create index "ledger_transfer_debit" on "ledger_transfer" ("debit");`);
    this.addSql(`create index "ledger_transfer_credit" on "ledger_transfer" ("credit");`);
    this.addSql(
      `alter table "ledger_transfer" add constraint "ledger_transfer_amount_positive" check (amount > 0);`,
    );
    this.addSql(
      `alter table "ledger_transfer" add constraint "ledger_transfer_accounts_differ" check (debit <> credit);`,
    );

    this.addSql(
      `create table "webhook_attempt" ("order_id" bigint not null, "seq" int not null, "attempt" int not null, "status_code" int null, "error" varchar(500) null, "duration_ms" int not null, "created_at" timestamptz(3) not null default now(), primary key ("order_id", "seq", "attempt"));`,
    );

    this.addSql(
      `create table "webhook_delivery" ("order_id" bigint not null, "seq" int not null, "state" varchar(16) not null default 'pending', "body" text null, "attempts" int not null default 0, "created_at" timestamptz(3) not null default now(), "finished_at" timestamptz(3) null, primary key ("order_id", "seq"));`,
    );
    this.addSql(
      `create index "webhook_delivery_pending" on "webhook_delivery" ("order_id") where state = 'pending';`,
    );
    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_state_check" check (state in ('pending', 'delivered', 'exhausted'));`,
    );

    this.addSql(
      `alter table "lp" add constraint "lp_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "orders" add constraint "orders_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "orders" add constraint "orders_user_id_foreign" foreign key ("user_id") references "app_user" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "orders" add constraint "orders_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "order_outcome" add constraint "order_outcome_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "order_event" add constraint "order_event_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "idempotency_key" add constraint "idempotency_key_agent_key_id_foreign" foreign key ("agent_key_id") references "agent_key" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "idempotency_key" add constraint "idempotency_key_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "chain_transaction" add constraint "chain_transaction_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "lp_rate" add constraint "lp_rate_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "lp_collateral" add constraint "lp_collateral_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "lp_asset" add constraint "lp_asset_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "collateral_deposit" add constraint "collateral_deposit_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "ledger_transfer" add constraint "ledger_transfer_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "ledger_transfer" add constraint "ledger_transfer_deposit_id_foreign" foreign key ("deposit_id") references "collateral_deposit" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "webhook_delivery" add constraint "webhook_delivery_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );
  }
}
