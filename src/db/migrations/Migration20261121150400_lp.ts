import { Migration } from '@mikro-orm/migrations';

export class Migration20261121150400_lp extends Migration {
  override name = 'Migration20261121150400_lp';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "lp_auto_claim" ("lp_id" bigint not null, "enabled" boolean not null, "max_amount_usd" numeric(20,6) null, "currencies" varchar(3)[] null, "min_profit_usd" numeric(20,6) not null default '0', "updated_at" timestamptz(3) not null default now(), "offers_due_at" timestamptz(3) null, primary key ("lp_id"));`,
    );
    this.addSql(`create index "lp_auto_claim_enabled" on "lp_auto_claim" ("lp_id") where enabled;`);
    this.addSql(
      `alter table "lp_auto_claim" add constraint "lp_auto_claim_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `create index "orders_excluded_lps" on "orders" using gin ("excluded_lp_ids") where excluded_lp_ids <> '{}';`,
    );
  }
}
