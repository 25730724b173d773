import { Migration } from '@mikro-orm/migrations';

/**
 * Places in the feed are ids of transactions, and those begin anew where a dump is restored into another server. So
 * each is shifted by an offset, which `src/db/commands/go-on-after-restore.ts` moves.
 */
export class Migration20261122050100_feed_offset extends Migration {
  override name = 'Migration20261122050100_feed_offset';

  override up(): void {
    this.addSql(
      `create function "feed_offset"() returns bigint language sql immutable parallel safe return 0::bigint;`,
    );
    // The place of what this transaction writes.
    this.addSql(
      `create function "feed_place"() returns xid8 language sql volatile return (pg_current_xact_id()::text::bigint + feed_offset())::text::xid8;`,
    );
    // All before it has been committed or never will be.
    this.addSql(
      `create function "feed_horizon"() returns xid8 language sql stable return (pg_snapshot_xmin(pg_current_snapshot())::text::bigint + feed_offset())::text::xid8;`,
    );
    this.addSql(`alter table "order_event" alter column "xid" set default feed_place();`);
  }

  override down(): void {
    this.addSql(`alter table "order_event" alter column "xid" set default pg_current_xact_id();`);
    this.addSql(`drop function "feed_horizon"();`);
    this.addSql(`drop function "feed_place"();`);
    this.addSql(`drop function "feed_offset"();`);
  }
}
