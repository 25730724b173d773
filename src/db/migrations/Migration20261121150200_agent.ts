import { Migration } from '@mikro-orm/migrations';

export class Migration20261121150200_agent extends Migration {
  override name = 'Migration20261121150200_agent';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "rate_lock" ("id" varchar(64) not null, "agent_key_id" bigint not null, "lp_id" bigint not null, "amount_fiat" numeric(18,2) not null, "currency" varchar(3) not null, "rate_usd" numeric(20,8) not null, "spread_bps" int not null, "amount_usd" numeric(20,6) not null, "fee_usd" numeric(20,6) not null, "amount_crypto" numeric(24,6) not null, "crypto_symbol" varchar(16) not null, "crypto_chain" varchar(16) not null, "expires_at" timestamptz(3) not null, "order_id" bigint null, "created_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
    this.addSql(`create index "rate_lock_unused" on "rate_lock" ("expires_at") where order_id is null;`);
    for (const [column, table] of [
      ['agent_key_id', 'agent_key'],
      ['lp_id', 'lp'],
      ['order_id', 'orders'],
    ]) {
      this.addSql(
        `alter table "rate_lock" add constraint "rate_lock_${column}_foreign" foreign key ("${column}") references "${table}" ("id") on update no action on delete no action;`,
      );
    }

    this.addSql(`alter table "webhook_delivery" add column "id" bigserial not null;`);
    this.addSql(`alter table "webhook_delivery" add column "attempts_before" int not null default 0;`);
    this.addSql(`alter table "webhook_delivery" add constraint "webhook_delivery_id_unique" unique ("id");`);

    this.addSql(
      `alter table "agent_key" add constraint "agent_key_rate_limit_positive" check (rate_limit > 0);`,
    );
  }
}
