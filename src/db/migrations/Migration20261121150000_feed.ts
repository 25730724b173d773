import { Migration } from '@mikro-orm/migrations';

/** A place in the feed for every event, and the slots of the connections that read it. */
export class Migration20261121150000_feed extends Migration {
  override name = 'Migration20261121150000_feed';

  override up(): void {
    this.addSql(`alter table "order_event" add column "xid" xid8 not null default pg_current_xact_id();`);
    this.addSql(`create index "order_event_feed" on "order_event" ("xid", "order_id", "seq");`);
    this.addSql(`create index "orders_open" on "orders" ("id") where status = 'matched';`);
    this.addSql(
      `create table "socket_slot" ("lp_id" bigint not null, "slot" int not null, "holder" uuid not null, "seen_at" timestamptz(3) not null default now(), primary key ("lp_id", "slot"));`,
    );
    this.addSql(`create index "socket_slot_holder" on "socket_slot" ("holder");`);
    this.addSql(
      `alter table "socket_slot" add constraint "socket_slot_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );
  }

  override down(): void {
    this.addSql(`drop table "socket_slot";`);
    this.addSql(`alter table "order_event" drop column "xid";`);
    this.addSql(`drop index "orders_open";`);
  }
}
