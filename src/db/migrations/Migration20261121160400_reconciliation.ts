import { Migration } from '@mikro-orm/migrations';

/** What the reconciler says of itself to the processes that it does not run in. */
export class Migration20261121160400_reconciliation extends Migration {
  override name = 'Migration20261121160400_reconciliation';

  override up(): void {
    this.addSql(
      `create table "reconciler_progress" ("id" smallint not null default 1, "last_run_at" timestamptz(3) not null, "started_workflows" bigint not null, primary key ("id"));`,
    );
    this.addSql(
      `alter table "reconciler_progress" add constraint "reconciler_progress_single" check (id = 1);`,
    );
  }

  override down(): void {
    this.addSql(`drop table "reconciler_progress";`);
  }
}
