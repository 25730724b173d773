import { Migration } from '@mikro-orm/migrations';

/** Clocks that an admin stops, slashes, the reasons people give, and how long the service was away. */
export class Migration20261121160000_lifecycle extends Migration {
  override name = 'Migration20261121160000_lifecycle';

  override up(): void {
    this.addSql(
      `alter table "orders" add column "frozen_ms" bigint null, add column "slashed_usd" numeric(20,6) null, add column "rejected_tx_hashes" varchar(128)[] not null default '{}';`,
    );
    this.addSql(`alter table "worker_presence" rename to "process_presence";`);
    this.addSql(
      `alter table "process_presence" rename constraint "worker_presence_pkey" to "process_presence_pkey";`,
    );
    this.addSql(`alter table "process_presence" add column "part" varchar(16) not null default 'worker';`);
    this.addSql(`alter table "process_presence" alter column "part" drop default;`);
    this.addSql(
      `create table "request_note" ("request_id" uuid not null, "reason" varchar(500) not null, "created_at" timestamptz(3) not null default now(), primary key ("request_id"));`,
    );
    this.addSql(`create index "request_note_created_at" on "request_note" ("created_at");`);
    this.addSql(
      `create table "service_pulse" ("id" smallint not null default 1, "beat_at" timestamptz(3) not null, "good_until" timestamptz(3) not null, primary key ("id"));`,
    );
    this.addSql(`alter table "service_pulse" add constraint "service_pulse_single" check (id = 1);`);
  }

  override down(): void {
    this.addSql(`drop table "service_pulse";`);
    this.addSql(`drop table "request_note";`);
    this.addSql(`delete from "process_presence" where "part" <> 'worker';`);
    this.addSql(`alter table "process_presence" drop column "part";`);
    this.addSql(
      `alter table "process_presence" rename constraint "process_presence_pkey" to "worker_presence_pkey";`,
    );
    this.addSql(`alter table "process_presence" rename to "worker_presence";`);
    this.addSql(
      `alter table "orders" drop column "frozen_ms", drop column "slashed_usd", drop column "rejected_tx_hashes";`,
    );
  }
}
