import { Migration } from '@mikro-orm/migrations';

/** The secret that an agent uses outlives rotations of which nobody has heard. */
export class Migration20261121160700_rotations extends Migration {
  override name = 'Migration20261121160700_rotations';

  override up(): void {
    this.addSql(
      `alter table "agent_key" add column "older_key_hash" bytea null, add column "older_expires_at" timestamptz(3) null;`,
    );
    this.addSql(
      `alter table "agent_key" add constraint "agent_key_older_key_hash_unique" unique ("older_key_hash");`,
    );
  }

  override down(): void {
    this.addSql(`alter table "agent_key" drop column "older_key_hash", drop column "older_expires_at";`);
  }
}
