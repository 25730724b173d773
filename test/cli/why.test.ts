import { describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { expectStatus } from '../../dev/http-client.ts';
import { TASK_QUEUE } from '../../src/temporal/start-options.ts';
import { ORDER_WORKFLOW, orderWorkflowId } from '../../workflows/messages.ts';
import { adminCli, serverSettings } from '../support/admin-cli.ts';
import { testEnvironment } from '../support/environment.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** `npm run admin -- why`, on a running Corridor and on one whose database does not answer. */
const corridor = await useCorridor({
  answerWebhook: () => 500,
  // Upkeep must not repair a workflow before the command explains it.
  env: { UPKEEP_INTERVAL: '10s' },
});
const { shown, json, refused } = adminCli(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp({ collateral: 10_000 });

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

describe('An order', () => {
  const claimed = async () => {
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    return id;
  };

  test.each<[string, () => Promise<number>, RegExp]>([
    [
      'matched',
      () => agent.newOrder(),
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
        await expectStatus(200, lp.fiatSent(id));
        return id;
      },
      /^Order \d+ is fiat_sent: agent key \d+ has to confirm that the fiat has arrived by .*, or it is disputed\.\n/,
    ],
    [
      'confirmed',
      () => agent.confirmedOrder(lp),
      /^Order \d+ is confirmed: agent key \d+ has to pay LP \d+ on trx and settle with the transaction by /,
    ],
    [
      'disputed',
      async () => {
        const id = await claimed();
        await expectStatus(200, agent.dispute(id));
        return id;
      },
      /^Order \d+ is disputed: an admin has to resolve the dispute; no clock runs\.\n/,
    ],
    [
      'cancelled',
      async () => {
        const id = await agent.newOrder();
        await expectStatus(200, agent.cancel(id));
        return id;
      },
      /^Order \d+ is cancelled\. It has ended\.\n/,
    ],
  ])('that is %s, and that nothing blocks, shows which party acts next', async (_, make, answer) => {
    const id = await isShown(await make());
    const text = await shown(`why ${id}`);
    expect(text).toMatch(answer);
    expect(text).toContain('\nNothing blocks it.\n');
    expect(text).not.toContain('254700123456');
  });

  test('that is frozen shows who froze it and why, and not that nothing blocks it', async () => {
    const id = await claimed();
    await expectStatus(200, corridor.adminDoes('freeze', id, { reason: 'the police asked' }));
    const text = await shown(`why ${id}`);
    expect(text).toMatch(
      /^Order \d+ is claimed, frozen: an admin has to unfreeze it; no clock runs\.\n\nBlocked by:\n {2}freeze: [^\n]*: the police asked\n/,
    );
    expect(text).not.toContain('Nothing blocks it');
  });

  test('shows the result of the last verification of a payment that is not final yet', async () => {
    const id = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, id, { final_after_ms: 3_600_000 });
    await expectStatus(200, agent.settle(id, hash));
    const text = await eventually(async () => {
      const said = await shown(`why ${id}`);
      return /not final/.test(said) && said;
    });
    expect(text).toMatch(
      /^Order \d+ is crypto_verify_pending: transaction \S+ has to be final on trx by .*\n\nNothing blocks it\.\n/,
    );
    expect(text).toMatch(/^ {2}verifyTransaction +\d+ +(yes|no) .* The transaction is not final: /m);
  });

  test('is explained as JSON, for scripts', async () => {
    const id = await isShown(await claimed());
    expect(await json(`why ${id}`)).toMatchObject({
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

test('An open order that no LP could claim says what the nearest one is missing', async () => {
  const currency = 'UGX';
  const small = await corridor.newLp({ currency, rate: 3_700, collateral: 100 });
  const id = await agent.newOrder({ currency, amount: 370_000 });
  expect((await json(`why ${id}`)).blockers).toEqual([]);
  // Another order locks the collateral.
  await expectStatus(200, small.claim(await agent.newOrder({ currency, amount: 37_000 })));
  expect((await json(`why ${id}`)).blockers).toEqual([
    {
      part: 'liquidity',
      what: `no LP can claim it now: LP ${small.id} is the nearest, and has 90 USD of free collateral for an order that locks 100 USD`,
    },
  ]);
  await corridor.newLp({ currency, rate: 3_700, collateral: 110 });
  expect((await json(`why ${id}`)).blockers).toEqual([]);
});

test('An open order of an expired agent key names the key', async () => {
  const expired = await corridor.newAgent();
  const id = await expired.newOrder();
  const expire = 'update agent_key set expires_at = now() where id = $1 returning expires_at';
  const [key] = await corridor.db.query<{ expires_at: string }>('t-expire', expire, [expired.keyId]);
  const at = new Date(key?.expires_at ?? '').toISOString();
  const what = `agent key ${expired.keyId} expired at ${at}: until an admin prolongs it, no LP can claim the order`;
  expect((await json(`why ${id}`)).blockers).toMatchObject([
    { part: 'agent key', what: expect.stringContaining(what) },
  ]);
});

test('An unknown order is an error with exit code 1', async () => {
  expect(await refused('why 999999')).toBe('corridor: There is no order 999999.');
  expect(await refused('why none')).toContain('An id is a positive whole number.');
});

test('A receiver that refuses its webhooks is named', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await expectStatus(200, lp.claim(id));
  const text = await eventually(async () => {
    const said = await shown(`why ${id}`);
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

test('A workflow that fails its tasks is named, with its failure', async () => {
  const id = await agent.newOrder();
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
    const { blockers, workflow: described } = await json(`why ${id}`);
    expect(blockers).toContainEqual({
      part: 'workflow',
      what: expect.stringMatching(/^its tasks fail, tried \d+ times: \S/),
    });
    expect(described.task).toMatchObject({ attempt: expect.any(Number) });
  } finally {
    await connection.close();
  }
});

test('An unavailable database is named, and Temporal shows the rest', async () => {
  const id = await agent.newOrder();
  const nowhere = 'postgres://nobody@127.0.0.1:1/none';
  const env = { ...serverSettings(corridor), DATABASE_READER_URL: nowhere };
  const text = await shown(`why ${id}`, env);
  expect(text).toMatch(
    /^The state of order \d+ is unknown: the database does not answer\. Its workflow shows it as matched, waiting for lp, due /,
  );
  expect(text).toContain(
    '\nBlocked by:\n  database: PostgreSQL at 127.0.0.1:1 cannot be used (ECONNREFUSED).\n',
  );
  expect(await shown('why 999999', env)).toContain('Temporal has no workflow of it, either.');
  expect(await refused(`why ${id}`, { ...env, TEMPORAL_ADDRESS: '127.0.0.1:1' })).toMatch(
    /^corridor: Neither the database nor Temporal can be asked\. PostgreSQL at 127\.0\.0\.1:1 cannot be used \(ECONNREFUSED\)\. Temporal at /,
  );
});
