import { readFileSync } from 'node:fs';
import { Migration } from '@mikro-orm/migrations';

/** The whole schema: `initial.sql`, what records changes of it in `audit.sql`, and what masks ended orders in `masking.sql`. */
export class Migration20261122000000_initial extends Migration {
  override name = 'Migration20261122000000_initial';

  override up(): void {
    for (const file of ['initial.sql', 'audit.sql', 'masking.sql'])
      this.addSql(readFileSync(new URL(file, import.meta.url), 'utf8'));
  }
}
