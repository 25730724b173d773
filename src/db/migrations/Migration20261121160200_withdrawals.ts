import { Migration } from '@mikro-orm/migrations';

/** Withdrawals of collateral; and a ledger that the database itself keeps from being changed. */
export class Migration20261121160200_withdrawals extends Migration {
  override name = 'Migration20261121160200_withdrawals';

  override up(): void {
    this.addSql(
      `create table "collateral_withdrawal" ("id" bigserial primary key, "lp_id" bigint not null, "amount" numeric(20,6) not null, "asset" varchar(16) not null, "chain" varchar(16) not null, "address" varchar(128) not null, "status" varchar(16) not null default 'requested', "idempotency_key" varchar(255) null, "tx_hash" varchar(128) null, "reason" varchar(500) null, "created_at" timestamptz(3) not null default now(), "decided_at" timestamptz(3) null);`,
    );
    this.addSql(`create index "collateral_withdrawal_lp" on "collateral_withdrawal" ("lp_id", "id");`);
    this.addSql(
      `alter table "collateral_withdrawal" add constraint "collateral_withdrawal_key" unique ("lp_id", "idempotency_key");`,
    );
    this.addSql(
      `create unique index "collateral_withdrawal_open" on "collateral_withdrawal" ("lp_id", "amount", "asset", "chain", "address") where status = 'requested' and idempotency_key is null;`,
    );
    this.addSql(
      `alter table "collateral_withdrawal" add constraint "collateral_withdrawal_amount_positive" check (amount > 0);`,
    );
    this.addSql(
      `alter table "collateral_withdrawal" add constraint "collateral_withdrawal_status_check" check (status in ('requested', 'paid', 'rejected'));`,
    );
    this.addSql(
      `alter table "collateral_withdrawal" add constraint "collateral_withdrawal_decided" check ((status = 'requested') = (decided_at is null) and (status = 'rejected') = (reason is not null));`,
    );
    this.addSql(
      `alter table "collateral_withdrawal" add constraint "collateral_withdrawal_lp_id_foreign" foreign key ("lp_id") references "lp" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `alter table "lp_collateral" add column "withdrawing" numeric(20,6) not null default '0', add constraint "lp_collateral_withdrawing_not_negative" check (withdrawing >= 0);`,
    );
    this.addSql(`alter table "ledger_transfer" add column "withdrawal_id" bigint null;`);
    this.addSql(
      `alter table "ledger_transfer" add constraint "ledger_transfer_withdrawal_id_foreign" foreign key ("withdrawal_id") references "collateral_withdrawal" ("id") on update no action on delete no action;`,
    );

    this.addSql(
      `create function ledger_transfer_is_append_only() returns trigger language plpgsql as $$
       begin
         raise exception 'The ledger is append-only: % of ledger_transfer is refused. Post a transfer the other way instead.', lower(tg_op)
           using errcode = 'restrict_violation';
       end $$;`,
    );
    this.addSql(
      `create trigger "ledger_transfer_append_only" before update or delete or truncate on "ledger_transfer" for each statement execute function ledger_transfer_is_append_only();`,
    );
    // Not even a session that plays a replica gets past it.
    this.addSql(`alter table "ledger_transfer" enable always trigger "ledger_transfer_append_only";`);
  }

  override down(): void {
    this.addSql(`drop trigger "ledger_transfer_append_only" on "ledger_transfer";`);
    this.addSql(`drop function ledger_transfer_is_append_only();`);
    this.addSql(`alter table "ledger_transfer" drop column "withdrawal_id";`);
    this.addSql(`alter table "lp_collateral" drop column "withdrawing";`);
    this.addSql(`drop table "collateral_withdrawal";`);
  }
}
