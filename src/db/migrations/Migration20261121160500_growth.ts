import { Migration } from '@mikro-orm/migrations';

/** What keeps the cost of a call from growing with the orders that have ended. */
export class Migration20261121160500_growth extends Migration {
  override name = 'Migration20261121160500_growth';

  override up(): void {
    // A transaction that is not the payment is given up by its order; without this, all there ever were are looked at.
    this.addSql(`create index "chain_transaction_order" on "chain_transaction" ("order_id");`);
    this.addSql(
      `create index "ledger_transfer_fees" on "ledger_transfer" ("debit", "id") where credit = 'platform:fees';`,
    );
    // A block range index would cost less to keep, but was seen to read half of the table.
    this.addSql(`create index "orders_created" on "orders" ("created_at");`);
    this.addSql(
      `create table "order_totals" ("id" smallint not null default 1, "xid" xid8 not null, "order_id" bigint not null, "seq" int not null, "completed" bigint not null, "cancelled" bigint not null, "fees_usd" numeric(20,6) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "order_totals" add constraint "order_totals_single" check (id = 1);`);
    // The orders so far, by the events that no transaction can come before any more.
    this.addSql(
      `insert into "order_totals" (xid, order_id, seq, completed, cancelled, fees_usd)
       select pg_snapshot_xmin(pg_current_snapshot()), 0, 0, count(*) filter (where status = 'completed'),
         count(*) filter (where status = 'cancelled'),
         coalesce(sum((snapshot ->> 'fee_usd')::numeric) filter (where status = 'completed'), 0)
       from order_event
       where status in ('completed', 'cancelled') and from_status is distinct from status
         and xid < pg_snapshot_xmin(pg_current_snapshot());`,
    );
  }

  override down(): void {
    this.addSql(`drop table "order_totals";`);
    this.addSql(`drop index "orders_created";`);
    this.addSql(`drop index "ledger_transfer_fees";`);
    this.addSql(`drop index "chain_transaction_order";`);
  }
}
