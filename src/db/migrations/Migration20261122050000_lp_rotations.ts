import { Migration } from '@mikro-orm/migrations';

/** An LP's secret can be replaced, and the old one goes on for a while, as an agent's. */
export class Migration20261122050000_lp_rotations extends Migration {
  override name = 'Migration20261122050000_lp_rotations';

  override up(): void {
    for (const which of ['previous', 'older']) {
      this.addSql(
        `alter table "lp" add column "${which}_key_hash" bytea null, add column "${which}_expires_at" timestamptz(3) null;`,
      );
      this.addSql(
        `alter table "lp" add constraint "lp_${which}_key_hash_unique" unique ("${which}_key_hash");`,
      );
    }
  }

  override down(): void {
    for (const which of ['previous', 'older'])
      this.addSql(`alter table "lp" drop column "${which}_key_hash", drop column "${which}_expires_at";`);
  }
}
