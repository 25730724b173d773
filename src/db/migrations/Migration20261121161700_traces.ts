import { Migration } from '@mikro-orm/migrations';

/** The span that created an order, which the traces of later requests for it are linked to. */
export class Migration20261121161700_traces extends Migration {
  override name = 'Migration20261121161700_traces';

  override up(): void {
    this.addSql(`alter table "orders" add column "traceparent" varchar(55) null;`);
  }

  override down(): void {
    this.addSql(`alter table "orders" drop column "traceparent";`);
  }
}
