import { Migration } from '@mikro-orm/migrations';

export class Migration20261121150100_receipts extends Migration {
  override name = 'Migration20261121150100_receipts';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "receipt" ("receipt_key" varchar(64) not null, "order_id" bigint not null, "lp_id" bigint not null, "content_type" varchar(64) not null, "size" int not null, "created_at" timestamptz(3) not null default now(), primary key ("receipt_key"));`,
    );
    this.addSql(`create index "receipt_order" on "receipt" ("order_id", "created_at");`);
    this.addSql(
      `alter table "receipt" add constraint "receipt_content_type_check" check (content_type in ('image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf', 'image/heic'));`,
    );
    this.addSql(`alter table "receipt" add constraint "receipt_size_positive" check (size > 0);`);
    this.addSql(
      `alter table "receipt" add constraint "receipt_order_id_foreign" foreign key ("order_id") references "orders" ("id") on update no action on delete no action;`,
    );
    this.addSql(
      `alter table "receipt" add constraint "receipt_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );
  }
}
