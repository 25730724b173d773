import { Migration } from '@mikro-orm/migrations';

/** Which workers there are. */
export class Migration20261121150500_presence extends Migration {
  override name = 'Migration20261121150500_presence';

  override up(): void {
    this.addSql(
      `create table "worker_presence" ("id" uuid not null, "seen_at" timestamptz(3) not null default now(), primary key ("id"));`,
    );
  }

  override down(): void {
    this.addSql(`drop table "worker_presence";`);
  }
}
