import { Migration } from '@mikro-orm/migrations';
import { initialSchema, recordSchema } from '../initial-schema.ts';

/** The whole schema: `initial.sql`, what records changes of it in `audit.sql`, and what masks ended orders in `masking.sql`. */
export class Migration20261122000000_initial extends Migration {
  override name = 'Migration20261122000000_initial';

  override up(): void {
    const files = initialSchema();
    for (const sql of [...files, recordSchema(files)]) this.addSql(sql);
  }
}
