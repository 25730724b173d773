import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { Address } from 'viem';
import { startEvmChain } from '../../../dev/evm-chain.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { TASK_QUEUE } from '../../../src/temporal/start-options.ts';
import { ORDER_WORKFLOW, orderWorkflowId } from '../../../workflows/messages.ts';
import { type Agent, newAgent, newLp, payment, statusOf, type TestLp } from '../../support/actors.ts';
import { lpOn } from '../../support/chain-lp.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { createCrashingProcesses } from '../../support/crashing-processes.ts';
import { databaseSettings, freshDatabase } from '../../support/database.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { run } from '../../support/processes.ts';
import {
  adminDoes,
  cancel,
  claim,
  confirm,
  confirmedOrder,
  dispute,
  fiatSent,
  newOrder,
  settle,
} from '../../support/repeated-steps.ts';
import { startTcpProxy } from '../../support/tcp-proxy.ts';
import { startLosableTemporal } from '../../support/temporal-server.ts';

/** `npm run admin -- why` as an operator runs it, on a running Corridor and on ones with missing parts. */
let corridor: TestCorridor;
let databaseUrl: string;
let agent: Agent;
let lp: TestLp;
beforeAll(async () => {
  databaseUrl = await freshDatabase();
  corridor = await startCorridor({
    databaseUrl,
    answerWebhook: () => 500,
    // Upkeep must not repair a workflow before the command explains it.
    env: { UPKEEP_INTERVAL: '10s' },
  });
  agent = await newAgent(corridor);
  lp = await newLp(corridor, { collateral: 10_000 });
});
afterAll(() => corridor.stop());

const settingsOf = ({ config }: TestCorridor, url = databaseUrl): Record<string, string> => ({
  ...databaseSettings(url),
  TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
  TEMPORAL_NAMESPACE: config.temporalNamespace,
});
const why = async (id: number | string, env = settingsOf(corridor), ...more: string[]) => {
  const process = run('src/cli/main.ts', ['why', String(id), ...more], env);
  const exit = await process.ended;
  return { exit, stdout: process.stdout(), stderr: process.stderr() };
};
/** The explanation of an order, as text. */
const explanationOf = async (id: number, env = settingsOf(corridor)) => {
  const { exit, stdout, stderr } = await why(id, env);
  expect([exit, stderr]).toEqual([0, '']);
  return stdout;
};
const explained = async (id: number, env = settingsOf(corridor)) => {
  const { exit, stdout, stderr } = await why(id, env, '--json');
  expect([exit, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
};

/** The answer to a command comes before its workflow shows the new state. */
const isShown = async (id: number): Promise<number> => {
  const [row] = await corridor.db.query<{ version: number }>(
    't-version',
    'select version from orders where id = $1',
    [id],
  );
  await eventuallyEquals(async () => (await corridor.shared.gateway.lastSeen(id))?.version, row?.version);
  return id;
};

describe('an order that nothing blocks', () => {
  const claimed = async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    return id;
  };

  test.each<[string, () => Promise<number>, RegExp]>([
    [
      'matched',
      () => newOrder(agent),
      /^Order \d+ is matched: an LP has to claim it by .{16} UTC, or it is cancelled\.\n/,
    ],
    [
      'claimed',
      claimed,
      /^Order \d+ is claimed: LP \d+ has to send the fiat by .{16} UTC, or it is offered again\.\n/,
    ],
    [
      'fiat_sent',
      async () => {
        const id = await claimed();
        await expectStatus(200, fiatSent(lp, id));
        return id;
      },
      /^Order \d+ is fiat_sent: agent key \d+ has to confirm that the fiat has arrived by .*, or it is disputed\.\n/,
    ],
    [
      'confirmed',
      () => confirmedOrder(agent, lp),
      /^Order \d+ is confirmed: agent key \d+ has to pay LP \d+ on trx and settle with the transaction by /,
    ],
    [
      'disputed',
      async () => {
        const id = await claimed();
        await expectStatus(200, dispute(agent, id));
        return id;
      },
      /^Order \d+ is disputed: an admin has to resolve the dispute; no clock runs\.\n/,
    ],
    [
      'cancelled',
      async () => {
        const id = await newOrder(agent);
        await expectStatus(200, cancel(agent, id));
        return id;
      },
      /^Order \d+ is cancelled\. It has ended\.\n/,
    ],
  ])('that is %s shows which party acts next', async (_, make, answer) => {
    const id = await isShown(await make());
    const text = await explanationOf(id);
    expect(text).toMatch(answer);
    expect(text).toContain('\nNothing blocks it.\n');
    expect(text).not.toContain('254700123456');
  });

  test('that is frozen shows who froze it and why, and not that nothing blocks it', async () => {
    const id = await claimed();
    await expectStatus(200, adminDoes(corridor.admin, 'freeze', id, { reason: 'the police asked' }));
    const text = await explanationOf(id);
    expect(text).toMatch(
      /^Order \d+ is claimed, frozen: an admin has to unfreeze it; no clock runs\.\n\nBlocked by:\n {2}freeze: [^\n]*: the police asked\n/,
    );
    expect(text).not.toContain('Nothing blocks it');
  });

  test('shows the result of the last verification of a payment that is not final yet', async () => {
    const id = await confirmedOrder(agent, lp);
    const hash = await payment(corridor, agent, id, { final_after_ms: 3_600_000 });
    await expectStatus(200, settle(agent, id, hash));
    const text = await eventually(async () => {
      const said = await explanationOf(id);
      return /not final/.test(said) && said;
    });
    expect(text).toMatch(
      /^Order \d+ is crypto_verify_pending: transaction \S+ has to be final on trx by .*\n\nNothing blocks it\.\n/,
    );
    expect(text).toMatch(/^ {2}verifyTransaction +\d+ +(yes|no) .* The transaction is not final: /m);
  });

  test('is explained as JSON, for scripts', async () => {
    const id = await isShown(await claimed());
    expect(await explained(id)).toMatchObject({
      order_id: id,
      next: { waitingFor: 'lp', otherwise: 'matched', overdue: false },
      blockers: [],
      row: { status: 'claimed', version: 2, lp: lp.id, agent_key: agent.keyId },
      workflow: { execution: 'RUNNING', status: 'claimed', version: 2, activities: [], taskFailure: null },
      queue: { pollers: [{ fresh: true, release: null }], currentRelease: null },
      service: { api: true, worker: true, away_since: null },
      events: [
        { to: 'matched', by: `agent:${agent.keyId}` },
        { from: 'matched', to: 'claimed', by: `lp:${lp.id}`, cause: 'claim' },
      ],
    });
  });
});

test('an open order that no LP could claim says what the nearest one is missing', async () => {
  const currency = 'UGX';
  const small = await newLp(corridor, { currency, rate: 3_700, collateral: 100 });
  const id = await newOrder(agent, { currency, amount: 370_000 });
  expect((await explained(id)).blockers).toEqual([]);
  // Another order locks the collateral.
  await expectStatus(200, claim(small, await newOrder(agent, { currency, amount: 37_000 })));
  expect((await explained(id)).blockers).toEqual([
    {
      part: 'liquidity',
      what: `no LP can claim it now: LP ${small.id} is the nearest, and has 90 USD of free collateral for an order that locks 100 USD`,
    },
  ]);
  await newLp(corridor, { currency, rate: 3_700, collateral: 110 });
  expect((await explained(id)).blockers).toEqual([]);
});

test('an open order of an expired agent key names the key', async () => {
  const expired = await newAgent(corridor);
  const id = await newOrder(expired);
  const expire = 'update agent_key set expires_at = now() where id = $1 returning expires_at';
  const [key] = await corridor.db.query<{ expires_at: string }>('t-expire', expire, [expired.keyId]);
  const at = new Date(key?.expires_at ?? '').toISOString();
  const what = `agent key ${expired.keyId} expired at ${at}: until an admin prolongs it, no LP can claim the order`;
  expect((await explained(id)).blockers).toMatchObject([
    { part: 'agent key', what: expect.stringContaining(what) },
  ]);
});

test('an unknown order is an error with exit code 1', async () => {
  expect(await why(999_999)).toEqual({
    exit: 1,
    stdout: '',
    stderr: 'corridor: There is no order 999999.\n',
  });
  const word = await why('none');
  expect([word.exit, word.stdout]).toEqual([1, '']);
  expect(word.stderr).toContain('An id is a positive whole number.');
});

test('a receiver that refuses its webhooks is named', async () => {
  const id = await newOrder(agent, { callback_url: corridor.receiver.url });
  await expectStatus(200, claim(lp, id));
  const text = await eventually(async () => {
    const said = await explanationOf(id);
    return said.includes('given up') && said;
  });
  const [, webhook] =
    /\nBlocked by:\n {2}webhook receiver: webhook (\d+) was given up: the receiver answered 500\. /.exec(
      text,
    ) ?? [];
  expect(text).toContain(`. "webhooks redeliver ${webhook}" sends it again\n`);
  expect(text).toMatch(
    new RegExp(`^ +${webhook} +2 +claimed +exhausted +3 +the receiver answered 500$`, 'm'),
  );
  // The events of an order follow each other within milliseconds.
  expect(text).toMatch(/^ +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} +matched +claimed +lp:/m);
  await expectStatus(202, corridor.admin('POST', `/api/admin/webhook-deliveries/${webhook}/redeliver`, {}));
});

test('a workflow that fails its tasks is named, with its failure', async () => {
  const id = await newOrder(agent);
  const connection = await Connection.connect({ address: testEnvironment().temporalAddress });
  try {
    const { workflow } = new Client({ connection, namespace: corridor.config.temporalNamespace });
    await workflow.start(ORDER_WORKFLOW, {
      workflowId: orderWorkflowId(id),
      taskQueue: TASK_QUEUE,
      args: [{}],
      workflowIdConflictPolicy: 'TERMINATE_EXISTING',
    });
    await eventually(() => corridor.shared.gateway.hasFailedTask(id));
    const { blockers, workflow: shown } = await explained(id);
    expect(blockers).toContainEqual({
      part: 'workflow',
      what: expect.stringMatching(/^its tasks fail, tried \d+ times: \S/),
    });
    expect(shown.task).toMatchObject({ attempt: expect.any(Number) });
  } finally {
    await connection.close();
  }
});

test('an unavailable chain node is named until it is back', async () => {
  const chain = await startEvmChain({ ageMs: 3_600_000 });
  const proxy = await startTcpProxy('127.0.0.1', Number(new URL(chain.rpcUrl).port));
  const [payer, recipient] = chain.accounts as [Address, Address];
  const usdt = await chain.deployToken('usdt', 6);
  await usdt.mint(payer, '1000');
  const url = await freshDatabase();
  const own = await startCorridor({
    databaseUrl: url,
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
      const text = await explanationOf(id, settingsOf(own, url));
      return text.includes('  chain: verifyTransaction, attempt') && text;
    });
    expect(said).toMatch(
      /^Order 1 is crypto_verify_pending: .*\n\nBlocked by:\n {2}chain: .*eth cannot be queried: /,
    );
    expect(said).not.toContain('key-of-the-node');
    proxy.restore();
    await chain.finalise();
    await eventuallyEquals(() => statusOf(settler, id), 'completed');
    expect(await explanationOf(id, settingsOf(own, url))).toMatch(
      /^Order 1 is completed\. It has ended\.\n\nNothing blocks it\.\n/,
    );
  } finally {
    await own.stop();
    await proxy.close();
    await chain.stop();
  }
});

test('dead workers are named, and the row and Temporal show the rest', async () => {
  const url = await freshDatabase();
  const own = await startCorridor({ databaseUrl: url, worker: false });
  const beside = createCrashingProcesses(own, url);
  try {
    const { process } = await beside.startPart('worker');
    const [taker, payer] = [await newLp(own), await newAgent(own)];
    const id = await newOrder(payer);
    await eventuallyEquals(async () => (await claim(taker, id)).status, 200);
    await eventuallyEquals(async () => (await own.shared.gateway.runningOrder(id))?.version, 2);
    process.kill('SIGKILL');
    const said = await eventually(async () => {
      const text = await explanationOf(id, settingsOf(own, url));
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

test('a stopped Temporal is named, and the row shows the rest', async () => {
  const temporal = await startLosableTemporal();
  const url = await freshDatabase();
  const own = await startCorridor({ databaseUrl: url, temporalAddress: temporal.address });
  const env = { ...settingsOf(own, url), TEMPORAL_ADDRESS: temporal.address };
  try {
    await newLp(own);
    const id = await newOrder(await newAgent(own));
    await own.stopWorker();
    await temporal.stop();
    const said = await explanationOf(id, env);
    expect(said).toMatch(/^Order 1 is matched: an LP has to claim it by /);
    expect(said).toContain(
      `\nBlocked by:\n  temporal: Temporal at ${temporal.address} does not answer for test-`,
    );
    // gRPC's text about its own deadline, `after 0.001s,waiting for metadata filters`, explains nothing.
    expect(said).not.toContain('Deadline exceeded');
    expect(said).toContain('\nThe workflow\n  Temporal could not be asked.\n');
    expect(said).toMatch(/^ {2}status +matched$/m);

    const nobody = await why(id, { ...env, DATABASE_READER_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect([nobody.exit, nobody.stdout]).toEqual([1, '']);
    expect(nobody.stderr).toMatch(
      /^corridor: Neither the database nor Temporal can be asked\. PostgreSQL at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\. Temporal at /,
    );
  } finally {
    await own.stop();
    await temporal.stop();
  }
});

test('an unavailable database is named, and Temporal shows the rest', async () => {
  const id = await newOrder(agent);
  const text = await explanationOf(id, {
    ...settingsOf(corridor),
    DATABASE_READER_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect(text).toMatch(
    /^The state of order \d+ is unknown: the database does not answer\. Its workflow shows it as matched, waiting for lp, due /,
  );
  expect(text).toContain(
    '\nBlocked by:\n  database: PostgreSQL at 127.0.0.1:1 cannot be used (ECONNREFUSED).\n',
  );
  const none = await why(999_999, {
    ...settingsOf(corridor),
    DATABASE_READER_URL: 'postgres://nobody@127.0.0.1:1/none',
  });
  expect(none.stdout).toContain('Temporal has no workflow of it, either.');
});
