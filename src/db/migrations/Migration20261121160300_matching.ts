import { Migration } from '@mikro-orm/migrations';

export class Migration20261121160300_matching extends Migration {
  override name = 'Migration20261121160300_matching';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "lp_forgiveness" ("id" bigserial primary key, "lp_id" bigint not null, "reason" varchar(500) not null, "created_at" timestamptz(3) not null default now());`,
    );
    this.addSql(
      `alter table "lp_forgiveness" add constraint "lp_forgiveness_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `create table "lp_strike" ("order_id" bigint not null, "seq" int not null, "lp_id" bigint not null, "forgiveness_id" bigint null, "created_at" timestamptz(3) not null default now(), primary key ("order_id", "seq"));`,
    );
    this.addSql(
      `create index "lp_strike_of_lp" on "lp_strike" ("lp_id", "created_at") where forgiveness_id is null;`,
    );
    this.addSql(
      `create index "lp_strike_recent" on "lp_strike" ("created_at") where forgiveness_id is null;`,
    );
    this.addSql(
      `alter table "lp_strike" add constraint "lp_strike_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "lp_strike" add constraint "lp_strike_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "lp_strike" add constraint "lp_strike_forgiveness_id_foreign" foreign key ("forgiveness_id") references "lp_forgiveness" ("id") on update no action on delete no action;`,
    );
    // The strikes so far: the counter was one more for each of these events. An order given back soon was no strike.
    this.addSql(
      `insert into "lp_strike" (order_id, seq, lp_id, created_at)
       select e.order_id, e.seq, (previous.snapshot ->> 'lp_id')::bigint, e.created_at
       from order_event e join order_event previous on previous.order_id = e.order_id and previous.seq = e.seq - 1
       where e.from_status = 'claimed' and e.status in ('matched', 'cancelled')
         and (e.cause <> 'release' or e.created_at > previous.created_at + interval '2 minutes');`,
    );
    this.addSql(`alter table "lp" drop column "strikes";`);

    this.addSql(
      `create table "lp_statistics" ("lp_id" bigint not null, "orders_completed" int not null, "recent_outcomes" boolean[] not null, "recent_completed" int not null, "recent_let_down" int not null, "recent_fiat_seconds" int[] not null, "median_fiat_seconds" int null, "updated_at" timestamptz(3) not null default now(), primary key ("lp_id"));`,
    );
    this.addSql(
      `alter table "lp_statistics" add constraint "lp_statistics_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `create table "feed_cursor" ("reader" varchar(32) not null, "xid" xid8 not null, "order_id" bigint not null, "seq" int not null, primary key ("reader"));`,
    );

    this.addSql(`alter table "lp_auto_claim" add column "offered_at" timestamptz(3) null;`);
  }
}
