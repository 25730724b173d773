import { spawnSync } from 'node:child_process';
import { beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { completedOrder, newAgent, newLp } from '../../support/actors.ts';
import { withTool } from '../../support/optional-tool.ts';
import { useCorridor } from '../../support/use-corridor.ts';

const NO_HLEDGER = 'hledger is not on the PATH, so no test reads the journal with it. Install it.';
const isInstalled = spawnSync('hledger', ['--version']).status === 0;

const corridor = await useCorridor();
const { admin, db } = corridor;
const DAY = 86_400_000;
const RANGE = {
  from: new Date(Date.now() - DAY).toISOString(),
  to: new Date(Date.now() + DAY).toISOString(),
};
beforeAll(async () => {
  await completedOrder(corridor, await newAgent(corridor), await newLp(corridor));
  const body = { debit: 'platform:fees', credit: 'outside', amount: 0.01, reason: '-1; "x", y' };
  const headers = { 'idempotency-key': 'p1' };
  await expectStatus(201, admin('POST', '/api/admin/ledger/adjustments', body, headers));
});

withTool(
  test,
  isInstalled,
  NO_HLEDGER,
)('hledger reads the journal, and computes the balances of the ledger', async () => {
  if (!isInstalled) throw new Error(NO_HLEDGER);
  const path = `/api/admin/exports/ledger.journal?${new URLSearchParams(RANGE)}`;
  const input = (await expectStatus(200, admin('GET', path))).toString();
  const hledger = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('hledger', ['-f', '-', ...args], {
      input,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
    return stdout;
  };
  hledger('check');
  const [, ...computed] = hledger('balance', '--flat', '--no-total', '-O', 'csv')
    .replaceAll('"', '')
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const { rows } = await db.pool.query(
    `select account, sum(amount)::text as balance from (
       select credit as account, amount, created_at from ledger_transfer
       union all select debit, -amount, created_at from ledger_transfer
     ) side where created_at >= $1 group by account having sum(amount) <> 0 order by 1`,
    [RANGE.from],
  );
  expect(rows.length).toBeGreaterThan(2);
  expect(computed.map(([account, balance]) => [account, Number(balance?.replace(' USD', ''))])).toEqual(
    rows.map(({ account, balance }) => [account, Number(balance)]),
  );
});
