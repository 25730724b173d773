import { Migration } from '@mikro-orm/migrations';

export class Migration20261121150300_admin extends Migration {
  override name = 'Migration20261121150300_admin';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "agent_key" add column "previous_key_hash" bytea null, add column "previous_expires_at" timestamptz(3) null, add column "max_exposure_usd" numeric(20,6) null;`,
    );
    this.addSql(
      `alter table "agent_key" add constraint "agent_key_previous_key_hash_unique" unique ("previous_key_hash");`,
    );
    this.addSql(
      `create index "orders_unsettled" on "orders" ("agent_key_id") where status in ('claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'disputed');`,
    );
  }
}
