import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { migrate } from '../../../src/db/migrate.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { startPostgres } from '../../../src/service/embedded/postgres.ts';
import { type Agent, claim, newAgent, newLp, newOrder, type TestLp } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { run } from '../../support/processes.ts';

/** The commands for money: withdrawals through the API, and the ledger check on the database. */
let corridor: TestCorridor;
let databaseUrl: string;
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  corridor = await startCorridor({ databaseUrl });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 100 });
});
afterAll(() => corridor.stop());

const admin = async (args: string[], env: Record<string, string> = {}) => {
  const settings = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, ...env };
  const process = run('src/cli/main.ts', args, settings);
  const exit = await process.ended;
  return { exit, stdout: process.stdout(), stderr: process.stderr() };
};
const check = (env: Record<string, string>, ...more: string[]) => admin(['ledger', 'check', ...more], env);

describe('withdrawals', () => {
  const ask = async (amount: number): Promise<string> => {
    const body = { amount, address: 'TMine' };
    return String((await lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, body)).body.id);
  };

  test('are listed, paid and rejected', async () => {
    const [one, two] = [await ask(12.5), await ask(3)];
    const list = await admin(['withdrawals', 'list', '--status', 'requested']);
    expect(list).toMatchObject({ exit: 0, stderr: '' });
    expect(list.stdout).toMatch(
      new RegExp(`^ *${one} +${lp.id}  requested  12.5  usdt   trx    TMine `, 'm'),
    );
    const paid = await admin(['withdrawals', 'paid', one, '--tx-hash', 'feed01']);
    expect([paid.exit, paid.stdout]).toEqual([0, expect.stringMatching(/ paid .* feed01\n$/)]);
    const rejected = await admin(['withdrawals', 'reject', two, '--reason', 'Not now', '--json']);
    expect(JSON.parse(rejected.stdout)).toMatchObject({
      id: Number(two),
      status: 'rejected',
      reason: 'Not now',
    });
    expect((await admin(['withdrawals', 'list', '--status', 'requested'])).stdout).toBe('None.\n');

    const late = await admin(['withdrawals', 'reject', one, '--reason', 'Late']);
    expect([late.exit, late.stderr]).toEqual([
      1,
      `corridor: This withdrawal is already decided: paid with feed01 (409 to POST /api/admin/withdrawals/${one}/reject)\n`,
    ]);
    expect((await admin(['withdrawals', 'reject', one])).stderr).toContain('--reason');
  });
});

describe('postings', () => {
  const by = ['--reason', 'Why not'];

  test('are recorded once for each command, listed, and refused in one line', async () => {
    const orderId = String(await newOrder(agent));
    const account = `lp:${lp.id}:available`;
    const slashed = ['ledger', 'adjust', '5', '--from', account, '--to', 'platform:slashed', ...by];
    expect((await admin(slashed)).stdout).toMatch(/ adjustment +5 .* admin:root /);
    expect((await admin(slashed)).stdout).toContain('nothing more was posted');
    expect((await admin([...slashed, '--idempotency-key', 'again'])).stdout).not.toContain('nothing more');

    const compensate = ['ledger', 'compensate', '4', '--order', orderId, ...by];
    expect((await admin([...compensate, '--lp', String(lp.id)])).stdout).toContain(account);
    expect((await admin(compensate)).stdout).toMatch(/ platform:slashed +outside /);
    const fees = ['ledger', 'adjust', '1', '--from', 'platform:slashed', '--to', 'platform:fees', ...by];
    expect((await admin(fees)).exit).toBe(0);
    const payout = ['ledger', 'payout', '1', '--chain', 'trx', '--tx-hash', 'fee5', ...by];
    expect((await admin(payout)).stdout).toMatch(/ fee5\n$/);
    expect(await admin(['ledger', 'payout', '2', ...by])).toMatchObject({
      exit: 1,
      stderr: 'corridor: platform:fees has less than that (409 to POST /api/admin/ledger/payouts)\n',
    });
    expect((await admin(['ledger', 'payout', '1'])).stderr).toContain('--reason');

    const list = await admin(['ledger', 'postings', '--kind', 'compensation', '--json']);
    expect(JSON.parse(list.stdout).postings).toHaveLength(2);
    expect((await admin(['ledger', 'accounts'])).stdout).toMatch(/^platform:slashed +1$/m);
  });
});

describe('ledger check', () => {
  test('shows that the ledger is consistent, and lists the checks', async () => {
    await claim(lp, await newOrder(agent));
    const { exit, stdout, stderr } = await check({ DATABASE_URL: databaseUrl });
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^check +checked +drifts\n/);
    expect(stdout).toMatch(/^a confirmed deposit is credited, once +1 +0$/m);
    expect(stdout.endsWith('\n\nThe ledger is sound.\n')).toBe(true);
  });

  test('names each drift on a line and ends with exit code 1', async () => {
    const damage = (by: number) =>
      corridor.db.query('damage', 'update lp_collateral set available = available + $2 where lp_id = $1', [
        lp.id,
        by,
      ]);
    await damage(7);
    try {
      const { exit, stdout } = await check({ DATABASE_URL: databaseUrl });
      expect(exit).toBe(1);
      const [, lines] = stdout.split('\n\n');
      const { available } = (await lp.call('GET', `/api/lp/${lp.key}/balance`)).body.balance;
      expect(lines?.trimEnd().split('\n')).toEqual([
        'all accounts add up to zero: all accounts: expected 0, found 7',
        `balances are the sums of their transfers: account lp:${lp.id}:available: expected ${available - 7}, found ${available}`,
      ]);
      const json = await check({}, '--database-url', databaseUrl, '--json');
      expect(json.exit).toBe(1);
      const { ok, checks } = JSON.parse(json.stdout);
      expect(ok).toBe(false);
      expect(checks.filter(({ drift }: { drift: object[] }) => drift.length > 0)).toHaveLength(2);
    } finally {
      await damage(-7);
    }
    expect((await check({}, '--database-url', databaseUrl, '--json')).exit).toBe(0);
  });

  test('finds the database of the Corridor that runs in DATA_DIR, and reports if there is none', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'corridor-ledger-'));
    const none = await check({ DATA_DIR: dataDir });
    expect([none.exit, none.stdout]).toEqual([1, '']);
    expect(none.stderr).toMatch(/^corridor: No database runs in .*\. Start one with "npm start"[^\n]*\n$/);
    const postgres = await startPostgres(join(dataDir, 'postgres'));
    try {
      const old = await check({ DATA_DIR: dataDir });
      expect([old.exit, old.stderr]).toEqual([
        1,
        'corridor: The database is not up to date. Run "migrate" first.\n',
      ]);
      await migrate({ url: postgres.url, debug: () => undefined });
      expect(await check({ DATA_DIR: dataDir })).toMatchObject({ exit: 0, stderr: '' });
    } finally {
      await postgres.stop();
      await rm(dataDir, { recursive: true });
    }
  });

  test('reports in one line, without the password, that the database cannot be used', async () => {
    const nowhere = `127.0.0.1:${await freePort()}`;
    const away = await check({}, '--database-url', `postgres://me:secret@${nowhere}/x`);
    expect([away.exit, away.stderr]).toEqual([
      1,
      `corridor: PostgreSQL at ${nowhere} cannot be used (ECONNREFUSED).\n`,
    ]);
    const url = new URL(testEnvironment().adminUrl);
    url.password = 'secret-and-wrong';
    const locked = await check({}, '--database-url', url.href);
    expect([locked.exit, locked.stderr]).toEqual([
      1,
      `corridor: PostgreSQL at ${url.host} cannot be used (28P01: password authentication failed for user "${url.username}").\n`,
    ]);
    expect((await check({}, '--database-url', 'the one')).stderr).toMatch(/^corridor: Give the database as/);
  });
});
