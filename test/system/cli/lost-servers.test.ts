import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Address } from 'viem';
import { startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { runAdmin } from '../../../src/cli/run-admin.ts';
import { migrate } from '../../../src/db/migrate.ts';
import { startPostgres } from '../../../src/service/embedded/postgres.ts';
import {
  claim,
  confirm,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  settle,
  statusOf,
} from '../../support/actors.ts';
import { adminCli, serverSettings } from '../../support/admin-cli.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor } from '../../support/corridor.ts';
import { createCrashingProcesses } from '../../support/crashing-processes.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { startLosableTemporal } from '../../support/temporal-server.ts';
import { onTerminal } from '../../support/terminal.ts';

/** The commands that need no API, where a server is lost: `why`, and the search for servers in DATA_DIR. */

test('An unavailable chain node is named until it is back', async () => {
  const chain = await startEvmChain({ ageMs: 3_600_000 });
  const proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  const [payer, recipient] = chain.accounts as [Address, Address];
  const usdt = await chain.deployToken('usdt', 6);
  await usdt.mint(payer, '1000');
  const own = await startCorridor({
    env: {
      SANDBOX: 'true',
      CHAIN_ETH_RPC_URL: `http://127.0.0.1:${proxy.port}/?key=key-of-the-node`,
      CHAIN_ETH_ID: String(chain.chainId),
      CHAIN_ETH_TOKENS: `usdt:${usdt.address}:6`,
    },
  });
  try {
    const [payee, settler] = [
      await lpOn(own, { symbol: 'usdt', chain: 'eth', address: recipient }, { collateral: 1_000 }),
      await newAgent(own),
    ];
    const id = await newOrder(settler, { crypto_chain: 'eth' });
    await expectStatus(200, claim(payee, id));
    await expectStatus(200, fiatSent(payee, id));
    await expectStatus(200, confirm(settler, id));
    await chain.client.request({ method: 'evm_setTime', params: [Math.ceil(Date.now() / 1_000)] } as never);
    const { amount_crypto } = await expectStatus(200, settler.call('GET', `/api/orders/${id}`));
    const hash = await usdt.transfer(payer, recipient, String(amount_crypto));
    proxy.cut();
    await expectStatus(200, settle(settler, id, hash));
    const said = await eventually(async () => {
      const text = await adminCli(own).shown(`why ${id}`);
      return text.includes('  chain: verifyTransaction, attempt') && text;
    });
    expect(said).toMatch(
      /^Order 1 is crypto_verify_pending: .*\n\nBlocked by:\n {2}chain: .*eth cannot be queried: /,
    );
    expect(said).not.toContain('key-of-the-node');
    proxy.restore();
    await chain.finalise();
    await eventuallyEquals(() => statusOf(settler, id), 'completed');
    expect(await adminCli(own).shown(`why ${id}`)).toMatch(
      /^Order 1 is completed\. It has ended\.\n\nNothing blocks it\.\n/,
    );
  } finally {
    await own.stop();
    await proxy.close();
    await chain.stop();
  }
});

test('Dead workers are named, and the row and Temporal show the rest', async () => {
  const own = await startCorridor({ worker: false });
  const beside = createCrashingProcesses(own, own.databaseUrl);
  try {
    const { process } = await beside.startPart('worker');
    const [taker, payer] = [await newLp(own), await newAgent(own)];
    const id = await newOrder(payer);
    await eventuallyEquals(async () => (await claim(taker, id)).status, 200);
    await eventuallyEquals(async () => (await own.shared.gateway.runningOrder(id))?.version, 2);
    process.kill('SIGKILL');
    const said = await eventually(async () => {
      const text = await adminCli(own).shown(`why ${id}`);
      return text.includes('no worker runs') && text;
    });
    expect(said).toMatch(/^Order 1 is claimed: LP 1 has to send the fiat by /);
    expect(said).toContain('\nBlocked by:\n  worker: no worker runs: nothing moves until one does\n');
    expect(said).toMatch(/^ {2}observed state +claimed, version 2, waits for lp$/m);
  } finally {
    await beside.end();
    await own.stop();
  }
});

test('A stopped Temporal is named, and the row shows the rest', async () => {
  const temporal = await startLosableTemporal();
  const own = await startCorridor({ temporalAddress: temporal.address });
  const { shown, refused } = adminCli(own);
  try {
    await newLp(own);
    const id = await newOrder(await newAgent(own));
    await own.stopWorker();
    await temporal.stop();
    const said = await shown(`why ${id}`);
    expect(said).toMatch(/^Order 1 is matched: an LP has to claim it by /);
    expect(said).toContain(
      `\nBlocked by:\n  temporal: Temporal at ${temporal.address} does not answer for test-`,
    );
    // gRPC's text about its own deadline, `after 0.001s,waiting for metadata filters`, explains nothing.
    expect(said).not.toContain('Deadline exceeded');
    expect(said).toContain('\nThe workflow\n  Temporal could not be asked.\n');
    expect(said).toMatch(/^ {2}status +matched$/m);

    const nowhere = { ...serverSettings(own), DATABASE_READER_URL: 'postgres://nobody@127.0.0.1:1/none' };
    expect(await refused(`why ${id}`, nowhere)).toMatch(
      /^corridor: Neither the database nor Temporal can be asked\. PostgreSQL at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\. Temporal at /,
    );
  } finally {
    await own.stop();
    await temporal.stop();
  }
});

test('"ledger check" finds the database of the Corridor that runs in DATA_DIR, and reports if there is none', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'corridor-ledger-'));
  const check = () =>
    onTerminal((terminal) => runAdmin(['ledger', 'check'], { DATA_DIR: dataDir }, terminal));
  const none = await check();
  expect([none.exit, none.stdout]).toEqual([1, '']);
  expect(none.stderr).toMatch(/^corridor: No database runs in .*\. Start one with "npm start"[^\n]*\n$/);
  const postgres = await startPostgres(join(dataDir, 'postgres'));
  try {
    expect(await check()).toEqual({
      ...{ exit: 1, stdout: '' },
      stderr: 'corridor: The database is not up to date. Run "migrate" first.\n',
    });
    await migrate({ url: postgres.url, debug: () => undefined });
    expect(await check()).toMatchObject({ exit: 0, stderr: '' });
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true });
  }
});
