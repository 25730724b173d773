import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** The whole schema: `initial.sql`, and what records changes of it in `audit.sql`. */
export class Migration20261122000000_initial extends Migration {
  override name = 'Migration20261122000000_initial';

  override up(): void {
    for (const file of ['initial.sql', 'audit.sql'])
      this.addSql(readFileSync(new URL(file, import.meta.url), 'utf8'));
  }
}
