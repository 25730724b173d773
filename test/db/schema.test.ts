import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/orm.ts';
import { freshDatabase } from '../support/database.ts';
import { expectedTables, TABLES_FILE } from '../support/tables-file.ts';

const options = { url: await freshDatabase(), debug: () => undefined };
const db = await openDatabase(options);
afterAll(() => db.close());

test('the migrations create the schema that the entities describe', async () => {
  const difference = await db.orm.schema.getUpdateSchemaSQL({ wrap: false, dropTables: false });
  // The entities do not know the triggers, which are in the SQL files with their functions: see the next test.
  const isTrigger = (line: string) => /^drop (trigger|function) if exists /.test(line);
  const lines = difference.split('\n').filter((line) => line.trim() !== '' && !isTrigger(line));
  expect(lines).toEqual([]);
});

test('the tables have these triggers, and those of records run in every session', async () => {
  const { rows } = await db.pool.query<{ trigger: string }>(`
    select concat_ws(' ', tgrelid::regclass, tgname, case tgenabled when 'A' then 'always' end) as trigger
    from pg_trigger where not tgisinternal and tgname not in ('audit', 'audit_update') order by 1`);
  expect(rows.map(({ trigger }) => trigger)).toEqual([
    'admin_posting admin_posting_append_only always',
    'audit_event audit_event_append_only always',
    'collateral_deposit collateral_deposit_reserve_amount',
    'collateral_withdrawal collateral_withdrawal_release_amount',
    'collateral_withdrawal collateral_withdrawal_reserve_amount',
    'ledger_transfer ledger_transfer_append_only always',
    'ledger_transfer ledger_transfer_owed_balances',
    'ledger_transfer ledger_transfer_platform_account',
    'lp lp_note_approval',
    'lp lp_on_first_approval',
    'lp_asset lp_asset_address',
    'lp_term lp_term_rearm_float_low',
    'order_event order_event_append_only always',
    'order_event order_event_keep always',
    'orders orders_follow_float',
    'orders orders_keep_recipient always',
    'orders orders_release_amount',
    'orders orders_reserve_amount',
  ]);
});

test('the file of the tables for reviewers is up to date', async () => {
  expect(readFileSync(TABLES_FILE, 'utf8')).toBe(await expectedTables(db.orm.schema));
});

test('migrating an up-to-date database does nothing', async () => {
  const nothing = { applied: [], missingRoles: [] };
  expect(await Promise.all([migrate(options), migrate(options)])).toEqual([nothing, nothing]);
});

describe('the database itself refuses', () => {
  const refused = async (sql: string, constraint: string) => {
    await expect(db.pool.query(sql)).rejects.toMatchObject({ constraint });
  };
  beforeAll(async () => {
    await db.pool.query(`
      insert into app_user (id) values (1);
      insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status)
        values (decode(repeat('00', 32), 'hex'), 1, 'r', '1', 'LP', 'approved');
      insert into lp_collateral (lp_id, available) values (currval('lp_id_seq'), 5);
      insert into chain_transaction (chain, tx_hash) values ('trx', 'ab');
      insert into ledger_transfer (key, debit, credit, amount) values ('k', 'a', 'b', 1);`);
  });

  test('a balance below zero', async () => {
    await refused('update lp_collateral set available = -0.01', 'lp_collateral_available_not_negative');
    await refused('update lp_collateral set locked = -0.01', 'lp_collateral_locked_not_negative');
    await refused('update lp_collateral set withdrawing = -0.01', 'lp_collateral_withdrawing_not_negative');
  });
  test('a transaction used twice', () =>
    refused(`insert into chain_transaction (chain, tx_hash) values ('trx', 'ab')`, 'chain_transaction_pkey'));
  test('a transfer posted twice, or of zero', async () => {
    await refused(
      `insert into ledger_transfer (key, debit, credit, amount) values ('k', 'a', 'b', 1)`,
      'ledger_transfer_key_unique',
    );
    await refused(
      `insert into ledger_transfer (key, debit, credit, amount) values ('l', 'a', 'b', 0)`,
      'ledger_transfer_amount_positive',
    );
  });
  test.each([
    ['update', `update ledger_transfer set amount = 2 where key = 'k'`],
    ['delete', 'delete from ledger_transfer'],
    ['truncate', 'truncate ledger_transfer cascade'],
  ])('to %s transfers, with a message that says why', async (what, sql) => {
    const client = await db.pool.connect();
    try {
      for (const role of ['origin', 'replica']) {
        await client.query(`set session_replication_role = ${role}`);
        await expect(client.query(sql)).rejects.toMatchObject({
          code: '23001',
          message: `The ledger is append-only: ${what} of ledger_transfer is refused. Post a transfer the other way instead.`,
        });
      }
    } finally {
      client.release(true);
    }
  });
  test('two LPs with one key', () =>
    refused(
      `insert into lp (key_hash, user_id, xrpl_address, mpesa_phone, display_name, status)
       values (decode(repeat('00', 32), 'hex'), 1, 'r', '1', 'LP', 'approved')`,
      'lp_key_hash_unique',
    ));
});
