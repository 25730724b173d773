import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** The whole schema, in `initial.sql`. */
export class Migration20261122000000_initial extends Migration {
  override name = 'Migration20261122000000_initial';

  override up(): void {
    this.addSql(readFileSync(new URL('initial.sql', import.meta.url), 'utf8'));
  }
}
