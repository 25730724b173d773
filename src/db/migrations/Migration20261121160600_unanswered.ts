import { Migration } from '@mikro-orm/migrations';

/** Orders whose workflow has left somebody without an answer. */
export class Migration20261121160600_unanswered extends Migration {
  override name = 'Migration20261121160600_unanswered';

  override up(): void {
    this.addSql(
      `create table "unanswered_order" ("order_id" bigint not null, "asked_at" timestamptz(3) not null default now(), primary key ("order_id"));`,
    );
  }

  override down(): void {
    this.addSql(`drop table "unanswered_order";`);
  }
}
