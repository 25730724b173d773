import { Migration } from '@mikro-orm/migrations';

/** What admins look through: what happened lately, and the webhooks that were given up. */
export class Migration20261122055500_console extends Migration {
  override name = 'Migration20261122055500_console';

  override up(): void {
    // Events are only ever appended, so that blocks follow time: an index of a few pages that costs a write nothing.
    this.addSql(
      `create index "order_event_time" on "order_event" using brin ("created_at") with (autosummarize = on);`,
    );
    this.addSql(
      `create index "webhook_delivery_exhausted" on "webhook_delivery" ("id") where state = 'exhausted';`,
    );
  }

  override down(): void {
    this.addSql(`drop index "webhook_delivery_exhausted";`);
    this.addSql(`drop index "order_event_time";`);
  }
}
