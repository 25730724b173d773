import { describe, expect, test } from '@jest/globals';
import { freePort } from '../../src/process/free-port.ts';
import { adminCli } from '../support/admin-cli.ts';
import { testEnvironment } from '../support/environment.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The commands for money: withdrawals and postings through the API, and the ledger check on the database. */
const corridor = await useCorridor();
const { databaseUrl } = corridor;
const { admin, shown, json, refused } = adminCli(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 100 });

test('Withdrawals are listed, paid and rejected', async () => {
  const ask = async (amount: number): Promise<number> => {
    const body = { amount, address: 'TMine' };
    return (await lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, body)).body.id;
  };
  const [one, two] = [await ask(12.5), await ask(3)];
  expect(await shown('withdrawals list --status requested')).toMatch(
    new RegExp(`^ *${one} +${lp.id}  requested  12.5  usdt   trx    TMine `, 'm'),
  );
  expect(await shown(`withdrawals paid ${one} --tx-hash feed01`)).toMatch(/ paid .* feed01\n$/);
  expect(await json(`withdrawals reject ${two} --reason "Not now"`)).toMatchObject({
    ...{ id: two, status: 'rejected', reason: 'Not now' },
  });
  expect(await shown('withdrawals list --status requested')).toBe('None.\n');
  expect(await refused(`withdrawals reject ${one} --reason Late`)).toBe(
    `corridor: This withdrawal is already decided: paid with feed01 (409 to POST /api/admin/withdrawals/${one}/reject)`,
  );
  expect(await refused(`withdrawals reject ${one}`)).toContain('--reason');
});

test('Postings are recorded once for each command, listed, and refused in one line', async () => {
  const orderId = await agent.newOrder();
  const account = `lp:${lp.id}:available`;
  const by = '--reason "Why not"';
  const slashed = `ledger adjust 5 --from ${account} --to platform:slashed ${by}`;
  expect(await shown(slashed)).toMatch(/ adjustment +5 .* admin:root /);
  expect(await shown(slashed)).toContain('nothing more was posted');
  expect(await shown(`${slashed} --idempotency-key again`)).not.toContain('nothing more');

  const compensate = `ledger compensate 4 --order ${orderId} ${by}`;
  expect(await shown(`${compensate} --lp ${lp.id}`)).toContain(account);
  expect(await shown(compensate)).toMatch(/ platform:slashed +outside /);
  await shown(`ledger adjust 1 --from platform:slashed --to platform:fees ${by}`);
  expect(await shown(`ledger payout 1 --chain trx --tx-hash fee5 ${by}`)).toMatch(/ fee5\n$/);
  expect(await refused(`ledger payout 2 ${by}`)).toBe(
    'corridor: platform:fees has less than that (409 to POST /api/admin/ledger/payouts)',
  );
  expect(await refused('ledger payout 1')).toContain('--reason');

  expect((await json('ledger postings --kind compensation')).postings).toHaveLength(2);
  expect(await shown('ledger accounts')).toMatch(/^platform:slashed +1$/m);
});

describe('"ledger check"', () => {
  test('shows that the ledger is consistent, and lists the checks', async () => {
    await lp.claim(await agent.newOrder());
    const stdout = await shown('ledger check');
    expect(stdout).toMatch(/^check +checked +drifts\n/);
    expect(stdout).toMatch(/^a confirmed deposit is credited, once +1 +0$/m);
    expect(stdout.endsWith('\n\nThe ledger is sound.\n')).toBe(true);
  });

  test('names each drift on a line and ends with exit code 1', async () => {
    const here = `ledger check --database-url ${databaseUrl}`;
    const damage = (by: number) =>
      corridor.db.query('damage', 'update lp_collateral set available = available + $2 where lp_id = $1', [
        lp.id,
        by,
      ]);
    await damage(7);
    try {
      const { exit, stdout } = await admin('ledger check', { DATABASE_URL: databaseUrl });
      expect(exit).toBe(1);
      const [, lines] = stdout.split('\n\n');
      const { available } = (await lp.call('GET', `/api/lp/${lp.key}/balance`)).body.balance;
      expect(lines?.trimEnd().split('\n')).toEqual([
        'all accounts add up to zero: all accounts: expected 0, found 7',
        `balances are the sums of their transfers: account lp:${lp.id}:available: expected ${available - 7}, found ${available}`,
      ]);
      const json = await admin(`${here} --json`, {});
      expect(json.exit).toBe(1);
      const { ok, checks } = JSON.parse(json.stdout);
      expect(ok).toBe(false);
      expect(checks.filter(({ drift }: { drift: object[] }) => drift.length > 0)).toHaveLength(2);
    } finally {
      await damage(-7);
    }
    expect(await admin(`${here} --json`, {})).toMatchObject({ exit: 0 });
  });

  test('reports in one line, without the password, that the database cannot be used', async () => {
    const nowhere = `127.0.0.1:${await freePort()}`;
    const refusedAt = (url: string) => refused(`ledger check --database-url "${url}"`, {});
    expect(await refusedAt(`postgres://me:secret@${nowhere}/x`)).toBe(
      `corridor: PostgreSQL at ${nowhere} cannot be used (ECONNREFUSED).`,
    );
    const url = new URL(testEnvironment().adminUrl);
    url.password = 'secret-and-wrong';
    expect(await refusedAt(url.href)).toBe(
      `corridor: PostgreSQL at ${url.host} cannot be used (28P01: password authentication failed for user "${url.username}").`,
    );
    expect(await refusedAt('the one')).toMatch(/^corridor: Give the database as/);
  });
});
