import { Migration } from '@mikro-orm/migrations';
import { initialSchema, recordSchema, type TableGenerator } from '../initial-schema.ts';

/** The whole schema: the tables of the entities, and the functions, triggers and views in the SQL files beside this one. */
export class Migration20261122000000_initial extends Migration {
  override name = 'Migration20261122000000_initial';

  override async up(): Promise<void> {
    const files = await initialSchema(
      this.config.getExtension<TableGenerator>('@mikro-orm/schema-generator') as TableGenerator,
    );
    for (const sql of [...files, recordSchema(files)]) this.addSql(sql);
  }
}
