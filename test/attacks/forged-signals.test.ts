import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { afterAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { NOTICE_TRIGGERS, SIGNAL_TRIGGERS, type SignalCommand } from '../../src/domain/order-commands.ts';
import { orderWorkflowId } from '../../workflows/messages.ts';
import { startCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';
import { readExposition } from '../support/exposition.ts';
import { createIntruder, signedEnvelope } from '../support/intruder.ts';
import { stateOf } from '../support/take-step.ts';

const logged: string[] = [];

const stream = new PassThrough().on('data', (chunk) => logged.push(String(chunk)));
const logTo = Object.assign(stream, { isTTY: false }) as unknown as NodeJS.WriteStream;
// The workflows take each forged signal at once.
/** An intruder with access to Temporal signals orders without the API. Nothing that belongs to an order may change. */
const corridor = await startCorridor({ env: { LOG_LEVEL: 'warn', ORDER_START: 'awake' }, logTo });
const intruder = await createIntruder(corridor);
const agent = await corridor.newAgent();
const rows = await corridor.db.query<{ id: number }>('agent', 'select id from agent_key', []);
/** The agent's name as an actor. */
const ours = `agent:${rows[0]?.id}`;
const lp = await corridor.newLp({ collateral: 20_000 });
afterAll(async () => {
  await intruder.leave();
  await corridor.stop();
});

const soon = () => new Date(Date.now() + 600_000).toISOString();
const HASH = 'f'.repeat(64);

/** Everything that a step could change, as text. */
async function contents(orderId: number): Promise<string> {
  const [row] = await corridor.db.query<{ contents: object }>(
    'contents',
    `select jsonb_build_array(
      (select to_jsonb(o) from orders o where o.id = $1),
      (select jsonb_agg(to_jsonb(e) order by e.seq) from order_event e where e.order_id = $1),
      (select jsonb_agg(to_jsonb(t) order by t.id) from ledger_transfer t where t.order_id = $1),
      (select jsonb_agg(to_jsonb(r) order by r.request_id) from order_outcome r where r.order_id = $1),
      (select jsonb_agg(w.seq order by w.seq) from webhook_delivery w where w.order_id = $1),
      (select jsonb_agg(to_jsonb(s) order by s.seq) from lp_strike s where s.order_id = $1),
      (select jsonb_agg(to_jsonb(c) order by c.lp_id) from lp_collateral c)
    ) as contents`,
    [orderId],
  );
  return JSON.stringify(row?.contents);
}

async function refused(): Promise<number> {
  const families = readExposition(await corridor.shared.metrics.text());
  const samples = families.get('corridor_unsigned_commands_total')?.samples ?? [];
  return samples.reduce((sum, { value }) => sum + value, 0);
}
const reports = () => logged.join('').split('refused a command that the API has not signed').length - 1;

/**
 * Sends signals, waits until each was refused and logged, and expects an unchanged order. A workflow task that times out on a busy
 * machine runs again, and then refuses and logs again.
 */
async function expectWithoutEffect(orderId: number, send: () => Promise<number>): Promise<void> {
  const [before, refusedBefore, reportsBefore] = [await contents(orderId), await refused(), reports()];
  const sent = await send();
  await eventually(async () => (await refused()) >= refusedBefore + sent);
  expect(await contents(orderId)).toBe(before);
  expect(reports()).toBeGreaterThanOrEqual(reportsBefore + sent);
}

/** Sends each command without a signature, and with a signature by a guessed secret. */
const forge = (orderId: number, forged: readonly (readonly [actor: string, command: SignalCommand])[]) =>
  expectWithoutEffect(orderId, async () => {
    for (const [actor, command] of forged) {
      tried.add(command.trigger);
      await intruder.signal(orderId, command.trigger, { requestId: randomUUID(), actor, command });
      const guessed = signedEnvelope(corridor, orderId, actor, command, {
        secret: 'a-secret-that-is-guessed',
      });
      await intruder.signal(orderId, command.trigger, guessed);
    }
    return 2 * forged.length;
  });
const tried = new Set<string>();

test('a signal that claims an order of 5,000 USD for 0.01 USD changes nothing, and an LP locks the full amount', async () => {
  const terms = { currency: 'KES', method: 'bank_transfer', rate_usd: 129.5 };
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, terms));
  const id = await agent.newOrder({
    ...{ amount: 647_500, method: 'bank_transfer', institution: '68', recipient: '0123456789012' },
  });
  await expectWithoutEffect(id, async () => {
    const command = { trigger: 'claim', lpId: lp.id, collateral: '0.01', validUntil: soon() };
    await intruder.signal(id, 'claim', { requestId: randomUUID(), actor: 'lp:987654', command });
    return 1;
  });
  const { collateral_locked } = await expectStatus(200, lp.claim(id));
  expect(collateral_locked).toBe(5_000);
});

test('a command without a signature has no effect, even in a status that allows it, and the parties can continue', async () => {
  const mine = `lp:${lp.id}`;
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await forge(id, [
    [mine, { trigger: 'claim', lpId: lp.id, validUntil: soon() }],
    [ours, { trigger: 'cancel', by: 'agent' }],
    ['admin:root', { trigger: 'cancel', by: 'admin' }],
    ['admin:root', { trigger: 'extend', until: soon() }],
    [ours, { trigger: 'expireNow', version: 1 }],
    ['service', { trigger: 'revoke' }],
    ['admin:root', { trigger: 'freeze' }],
    // Refused without a step: Corridor records refusals only for requests of the API.
    [ours, { trigger: 'confirm' }],
    ['admin:root', { trigger: 'unfreeze' }],
  ]);
  await expectStatus(200, corridor.adminDoes('freeze', id));
  await forge(id, [['admin:root', { trigger: 'unfreeze' }]]);
  await expectStatus(200, corridor.adminDoes('unfreeze', id));

  await expectStatus(200, lp.claim(id));
  await forge(id, [
    [mine, { trigger: 'fiatSent', lpId: lp.id }],
    [mine, { trigger: 'release', lpId: lp.id, freeSince: new Date(0).toISOString() }],
    [ours, { trigger: 'dispute', by: 'agent' }],
  ]);
  await expectStatus(200, lp.fiatSent(id));
  await forge(id, [
    [ours, { trigger: 'confirm' }],
    [mine, { trigger: 'dispute', by: 'lp', lpId: lp.id }],
  ]);
  await expectStatus(200, agent.confirm(id));
  await forge(id, [[ours, { trigger: 'settle', txHash: HASH, txHashGiven: HASH }]]);
  const { crypto_amount } = await expectStatus(200, agent.call('GET', `/api/v1/status/${id}`));
  await expectStatus(200, agent.settle(id, await corridor.transaction(lp.address, crypto_amount)));
  await eventuallyEquals(() => agent.statusOf(id), 'completed');

  const disputed = await agent.newOrder();
  await expectStatus(200, lp.claim(disputed));
  await expectStatus(200, agent.dispute(disputed));
  await forge(disputed, [
    ['admin:root', { trigger: 'resolve', outcome: 'completed', slashUsd: '0.00', txHash: null }],
    ['admin:root', { trigger: 'resolve', outcome: 'cancelled', slashUsd: '10.00', txHash: null }],
    ['admin:root', { trigger: 'retryVerification', txHash: HASH, txHashGiven: HASH }],
  ]);
  await expectStatus(200, corridor.adminDoes('resolve', disputed, { outcome: 'cancelled', slash_usd: 0 }));
  expect([...tried].sort()).toEqual([...SIGNAL_TRIGGERS].sort());
}, 120_000);

test('a signature is valid only for its order, request, actor and command, and expires after half a day', async () => {
  const [id, other] = [await agent.newOrder(), await agent.newOrder()];
  const command = { trigger: 'cancel', by: 'agent' } as const;
  const genuine = signedEnvelope(corridor, id, ours, command);
  const { signature } = genuine;
  const at = Number(signature.split('.')[0]);
  const flipped = signature.slice(0, -2) + (signature.at(-2) === 'A' ? 'B' : 'A') + signature.at(-1);
  const variants: [number, string, unknown][] = [
    [other, 'cancel', genuine],
    [id, 'cancel', { ...genuine, requestId: randomUUID() }],
    [id, 'cancel', { ...genuine, actor: 'admin' }],
    [id, 'cancel', { ...genuine, command: { ...command, by: 'admin' } }],
    [id, 'cancel', { ...genuine, command: { ...command, more: 'fields' } }],
    [id, 'freeze', { ...genuine, command: { trigger: 'freeze' } }],
    [id, 'cancel', { ...genuine, signature: flipped }],
    [id, 'cancel', { ...genuine, signature: `${signature}A` }],
    [id, 'cancel', { ...genuine, signature: signature.replace(String(at), String(at + 1)) }],
    [id, 'cancel', signedEnvelope(corridor, id, genuine.actor, command, { at: at - 13 * 3_600_000 })],
    [
      id,
      'cancel',
      signedEnvelope(corridor, id, genuine.actor, command, { secret: 'the-secret-before-this' }),
    ],
  ];
  for (const [orderId, name, message] of variants) {
    await expectWithoutEffect(orderId, async () => {
      await intruder.signal(orderId, name, message);
      return 1;
    });
  }
  // The unchanged message works, so the changes made the other messages invalid.
  await intruder.signal(id, 'cancel', genuine);
  await eventuallyEquals(() => agent.statusOf(id), 'cancelled');
  await expectStatus(200, lp.claim(other));
});

test('a repeated genuine signal has no second effect, even after the order has returned to the status', async () => {
  const second = await corridor.newLp();
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  await expectStatus(200, lp.release(id));
  await expectStatus(200, second.claim(id));
  const refusedBefore = await refused();
  const before = await contents(id);
  const [claimed] = await intruder.readSignals(id, 'claim');
  const [released] = await intruder.readSignals(id, 'release');
  for (let time = 0; time < 3; time++) {
    await intruder.signal(id, 'claim', claimed);
    await intruder.signal(id, 'release', released);
  }
  // The workflow handles signals in order. When this one is done, so are the others.
  await expectStatus(200, second.fiatSent(id));
  const since = JSON.parse(await contents(id));
  expect(since[2]).toEqual(JSON.parse(before)[2]);
  expect(since[3]).toHaveLength(JSON.parse(before)[3].length + 1);
  expect(await refused()).toBe(refusedBefore);
});

test('malformed messages change nothing, are logged once, and do not stop the order', async () => {
  const id = await agent.newOrder();
  const command = { trigger: 'confirm' };
  const deadline = { trigger: 'deadline', version: 1 };
  const autoClaim = { trigger: 'autoClaim', lpId: lp.id, collateral: '0.01', validUntil: soon() };
  const whole = { requestId: randomUUID(), actor: ours, signature: '1.x' };
  const messages: [name: string, ...message: unknown[]][] = [
    ['confirm'],
    ['confirm', null],
    ['confirm', 7],
    ['confirm', []],
    ['confirm', { ...whole, command: null }],
    ['confirm', { ...whole, command: 'confirm' }],
    ['confirm', { ...whole, command, requestId: 'no-uuid' }],
    ['confirm', { ...whole, command, trace: { no: 'text' } }],
    ['confirm', { ...whole, command, actor: 'a'.repeat(100_000) }],
    ['confirm', { ...whole, command, signature: { toString: 1 } }],
    // The workflow's own commands, under the name of a signal.
    ['confirm', { ...whole, command: deadline }],
    ['claim', { ...whole, command: autoClaim }],
    ['claim', { ...whole, command: { trigger: 'claim' } }],
    ['settle', { ...whole, command: { trigger: 'settle', txHash: { toString: 1 } } }],
    ['extend', { ...whole, command: { trigger: 'extend', until: { valueOf: 1, toString: 1 } } }],
    ['resolve', { ...whole, command: { trigger: 'resolve', outcome: 'completed', slashUsd: {} } }],
  ];
  for (const [name, ...message] of messages) {
    await expectWithoutEffect(id, async () => {
      await intruder.signal(id, name, ...message);
      return 1;
    });
  }
  await expectStatus(200, lp.claim(id));
  const { taskFailures } = await intruder.client.workflow
    .getHandle(`order-${id}`)
    .fetchHistory()
    .then(({ events = [] }) => ({
      taskFailures: events?.filter((event) => event.workflowTaskFailedEventAttributes),
    }));
  expect(taskFailures).toEqual([]);
});

test('a forged signal under the request id of a waiting request does not answer it', async () => {
  const [id, other] = [await agent.newOrder(), await agent.newOrder()];
  const refusedBefore = await refused();
  await corridor.stopWorker();
  const waiting = lp.claim(id);
  const [genuine] = await eventually(async () => {
    const found = await intruder.readSignals(id, 'claim');
    return found.length > 0 && found;
  });
  // `other` would refuse the first message and apply the second one. Neither result may be recorded under this request id.
  await intruder.signal(other, 'confirm', { ...genuine, command: { trigger: 'confirm' } });
  await intruder.signal(other, 'claim', genuine);
  await corridor.startWorker();
  await waiting;
  await expectStatus(200, lp.claim(id));
  await eventuallyEquals(() => agent.statusOf(id), 'claimed');
  await eventually(async () => (await refused()) >= refusedBefore + 2);
  expect(await agent.statusOf(other)).toBe('matched');
});

test('a signal that invents a later version of an order freezes nothing, and shows no such version', async () => {
  const lpOfAll = await corridor.newLp();
  const live = [await agent.newOrder(), await agent.newOrder(), await agent.newOrder()];
  const [open, claimed, sent] = live as [number, number, number];
  for (const id of [claimed, sent]) await expectStatus(200, lpOfAll.claim(id));
  await expectStatus(200, lpOfAll.fiatSent(sent));
  const refusedBefore = await refused();
  for (const id of live) {
    const state = await stateOf(corridor.db, id);
    const made = { state: { ...state, version: state.version + 40 }, webhooks: [] };
    await intruder.signal(id, 'refresh', made);
    // In the shape of a genuine one, without a signature.
    const command = { trigger: 'refresh' };
    await intruder.signal(id, 'refresh', { ...made, requestId: randomUUID(), actor: 'service', command });
  }
  // The reconciler compares workflows with rows in each round.
  const rounds = async () => {
    const [row] = await corridor.db.query<{ at: string }>(
      'rounds',
      'select last_run_at::text as at from reconciler_progress',
      [],
    );
    return row?.at;
  };
  for (let round = 0; round < 3; round++) {
    const before = await rounds();
    await eventually(async () => (await rounds()) !== before);
  }
  const frozen = `select id, status_reason from orders where id = any($1) and (frozen_ms is not null or version > 3)`;
  expect(await corridor.db.query('frozen-by-signal', frozen, [live])).toEqual([]);
  for (const id of live) {
    const { version } = await stateOf(corridor.db, id);
    expect(await corridor.shared.gateway.runningOrder(id)).toMatchObject({ version });
  }
  // A workflow task that times out on a busy machine runs again, and counts again.
  await eventually(async () => (await refused()) >= refusedBefore + 2 * live.length);
  await expectStatus(200, lpOfAll.claim(open));
  await expectStatus(200, lpOfAll.fiatSent(claimed));
  await expectStatus(200, agent.confirm(sent));
});

test.each(NOTICE_TRIGGERS)(
  'an unsigned %s is reported once, in any shape, and changes nothing',
  async (trigger) => {
    const fields = { seq: 1 };
    const id = await agent.newOrder();
    const whole = { requestId: randomUUID(), actor: 'service', command: { trigger, ...fields } };
    for (const message of [
      undefined,
      null,
      7,
      fields,
      whole,
      { ...whole, signature: 'x' },
      { ...whole, command: [] },
    ])
      await expectWithoutEffect(id, async () => {
        await intruder.signal(id, trigger, message);
        return 1;
      });
    await expectStatus(200, lp.claim(id));
    const { status } = await intruder.client.workflow.getHandle(orderWorkflowId(id)).describe();
    expect(status.name).toBe('RUNNING');
  },
);

test('a forged redelivery of a webhook that does not exist does not delay the real ones', async () => {
  const id = await agent.newOrder({ callback_url: corridor.receiver.url });
  await intruder.signal(id, 'redeliver', { seq: 999 });
  await expectStatus(200, lp.claim(id));
  await corridor.receiver.next(({ body }) => body.order_id === id && body.status === 'claimed');
});
