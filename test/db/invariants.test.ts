import { expect, test } from '@jest/globals';
import { openDatabase } from '../../src/db/orm.ts';
import { beginAttempt, recordAttempt } from '../../src/notify/webhooks/deliveries.ts';
import { checkInvariants, INVARIANTS } from '../../src/operations/diagnosis/check-invariants.ts';
import { findingText } from '../../src/operations/diagnosis/finding.ts';
import { createLogger } from '../../src/process/log.ts';
import { openBooks } from '../support/books.ts';
import { copyOf } from '../support/database.ts';
import { editEvents, LET_EVENTS_CHANGE } from '../support/edit-events.ts';
import { expectNoPendingWebhooks } from '../support/soundness.ts';

const [ONE, TWO, THREE] = [1, 2, 3];

const books = await openBooks();
const { db } = books;
/**
 * A small correct history. Its connections are closed, so that each test can copy and damage it. Order 1 has completed, and its first webhook was
 * delivered. LP 1 released order 2, and LP 2 claimed it. Order 3 is open. Order 1 has an idempotency key.
 */
const template = new URL(books.url).pathname.slice(1);
const lps = [await books.newLp(), await books.newLp()];
const [one = 0, two = 0] = lps;
for (const lp of lps) await books.deposit(lp, '100');
for (const id of [ONE, TWO, THREE]) {
  const draft = await books.draft(one, '1295');
  expect(draft.id).toBe(id);
  const response = { order_id: id, payment_id: draft.payment_id } as never;
  const replay = id === ONE ? { key: 'k', requestHash: Buffer.alloc(32), response } : null;
  await books.create({ ...draft, callback_url: 'https://agent.example/hook' }, replay);
}
const claim = (lpId: number) => ({ trigger: 'claim', lpId, validUntil: 'infinity' }) as const;
await books.apply(ONE, claim(one));
await books.apply(ONE, { trigger: 'fiatSent', lpId: one });
await books.apply(ONE, { trigger: 'confirm' });
await books.apply(ONE, { trigger: 'settle', txHash: 'ab', txHashGiven: '0xAB' });
await books.apply(ONE, { trigger: 'verified', version: 5, note: null });
await books.apply(TWO, claim(one));
await books.apply(TWO, { trigger: 'release', lpId: one, freeSince: new Date(0).toISOString() });
await books.apply(TWO, claim(two));
// The books record no actors.
await editEvents(
  db.pool,
  `update order_event set actor = case
       when cause in ('claim', 'fiatSent', 'release') then 'lp:' || case when order_id = 2 and seq = 4 then 2 else 1 end
       when cause = 'verified' then 'service' else 'agent:1' end`,
);
await db.pool.query(
  `update webhook_delivery set body = '{"order_id": 1, "status": "claimed"}' where order_id = 1 and seq = 2`,
);
const answer = { status: 200, error: null, body: null, durationMs: 1 };
const { rows } = await db.pool.query('select id from webhook_delivery where order_id = 1 and seq = 2');
const { attempt } = await beginAttempt(db, rows[0].id, '');
await recordAttempt(db, rows[0].id, attempt ?? 0, answer);
await db.close();

/** Runs a statement that bypasses all constraints, and returns each breach as a line. */
async function findingsAfter(sql: string): Promise<string[]> {
  const db = await openDatabase({ url: await copyOf(template), debug: () => undefined });
  try {
    await db.pool.query(`${LET_EVENTS_CHANGE}; ${sql}`);
    return (await checkInvariants({ db, log: createLogger('silent') })).map(findingText);
  } finally {
    await db.close();
  }
}

test('a correct history breaks no invariant', async () => {
  expect(await findingsAfter('select 1')).toEqual([]);
});

test('once all orders are idle, a pending webhook is a breach', async () => {
  const db = await openDatabase({ url: await copyOf(template), debug: () => undefined });
  try {
    await expect(expectNoPendingWebhooks(db, 0)).rejects.toThrow(
      'order 1 (completed, version 6), webhook 3, after 0 attempts',
    );
    await db.pool.query(`update webhook_delivery set state = 'delivered', finished_at = now()`);
    await expectNoPendingWebhooks(db, 0);
  } finally {
    await db.close();
  }
});

test('a warning that no secret could sign any more is no breach', async () => {
  const given = `insert into webhook_delivery (lp_id, lp_event, url, body, state, finished_at)
    select id, 'lp.webhook_changed', 'https://lp.example/', '{}', 'exhausted', now() from lp limit 1`;
  expect(await findingsAfter(given)).toEqual([]);
});

test('another time zone of a deadline or more zeros of an amount are no breach', async () => {
  expect(
    await findingsAfter(
      `update order_event set snapshot = snapshot || jsonb_build_object(
         'timeout_at', ((snapshot ->> 'timeout_at')::timestamptz at time zone 'Asia/Kathmandu') || '+05:45',
         'amount_usd', (snapshot ->> 'amount_usd') || '000')`,
    ),
  ).toEqual([]);
});

const event = (orderId: number, seq: number, from: string, to: string, cause: string, actor: string) =>
  `insert into order_event (order_id, seq, from_status, status, cause, actor, snapshot)
   values (${orderId}, ${seq}, '${from}', '${to}', '${cause}', '${actor}', '{}');
   update orders set version = ${seq} where id = ${orderId};`;

/** The damage, the statement that causes it, and the line that reports it. */
const DAMAGES: [name: string, sql: string, line: string | RegExp][] = [
  [
    'a transition that the table does not have',
    `${event(THREE, 2, 'matched', 'matched', 'confirm', 'agent:1')} update order_outcome set order_id = order_id`,
    'every event is a transition of the table: order 3, event 2: expected a transition of the table, found matched to matched by confirm of agent:1',
  ],
  [
    'an actor without permission',
    `update order_event set actor = 'lp:1' where order_id = 1 and cause = 'confirm'`,
    'every event is a transition of the table: order 1, event 4: expected a transition of the table, found fiat_sent to confirmed by confirm of lp:1',
  ],
  [
    'a leap',
    `update order_event set from_status = 'matched', status = 'claimed', cause = 'claim', actor = 'lp:2' where order_id = 1 and seq = 4`,
    'an event begins where the one before it ended: order 1, event 4: expected fiat_sent, found matched',
  ],
  [
    'a lost event',
    'delete from webhook_delivery where order_id = 1 and seq = 3; delete from order_event where order_id = 1 and seq = 3',
    'events are numbered without gaps: order 1: expected 5 events, to number 5, found 5 events, from number 1 to 6',
  ],
  [
    'a row with another status than its last event',
    `update orders set status = 'cancelled', cancelled_at = now() where id = 3`,
    'a row is what its last event says: order 3: expected matched, version 1, found cancelled, version 1',
  ],
  [
    'a row with a later version than its last event',
    'update orders set version = 9 where id = 3',
    'a row is what its last event says: order 3: expected matched, version 1, found matched, version 9',
  ],
  [
    'a row of another LP than its last event',
    'update orders set lp_id = 2 where id = 3',
    'a row holds what its last event kept of it: order 3, lp_id: expected 1, found 2',
  ],
  [
    'a row with another transaction',
    `update orders set user_crypto_tx_hash = '0xac' where id = 1`,
    'a row holds what its last event kept of it: order 1, user_crypto_tx_hash: expected 0xAB, found 0xac',
  ],
  [
    'a row with another amount',
    'update orders set amount_crypto = amount_crypto + 1 where id = 3',
    'a row holds what its last event kept of it: order 3, amount_crypto: expected 10.050000000003, found 11.050000000003',
  ],
  [
    'a row with another fee',
    'update orders set fee_usd = 0 where id = 3',
    'a row holds what its last event kept of it: order 3, fee_usd: expected 0.050000, found 0.000000',
  ],
  [
    'a deadline that moved by itself',
    `update orders set timeout_at = '2000-01-01T00:00:00Z' where id = 2`,
    /^a row holds what its last event kept of it: order 2, timeout_at: expected \d{4}-.+, found 2000-01-01 00:00:00\+00$/,
  ],
  [
    'a deadline that is gone',
    'update orders set timeout_at = null where id = 3',
    /^a row holds what its last event kept of it: order 3, timeout_at: expected \d{4}-.+, found nothing$/,
  ],
  [
    'an address that no claim has used',
    `update orders set lp_receive_address = 'T9' where id = 2`,
    'an order belongs to the LP that claimed it last, and is paid to where that claim said: order 2: expected lp:2 at T2, found lp:2 at T9',
  ],
  [
    'collateral that differs from the locked amount',
    'update orders set collateral_locked = 11 where id = 1',
    'a claim locks its collateral: order 1 claimed with version 2: expected 11 locked, found 10 locked',
  ],
  [
    'an end without its time',
    'update orders set completed_at = null where id = 1',
    'an end has its time, and what has not ended has none: order 1, completed: expected completed_at alone, found ',
  ],
  [
    'a transition that no request caused',
    `delete from order_outcome where request_id = (select request_id from order_outcome where order_id = 1 limit 1)`,
    'each transition that was asked for has one outcome: order 1: expected 5 outcomes, found 4 outcomes',
  ],
  [
    'a claim that two LPs have won',
    event(TWO, 5, 'matched', 'claimed', 'claim', 'lp:1'),
    'one claim wins each time an order is offered: order 2, offered the 2. time: expected one claim at most, found 2 claims by lp:2 and lp:1',
  ],
  [
    'an order of the wrong LP',
    'update orders set lp_id = 1 where id = 2',
    'an LP does not get an order again after a failed claim: order 2: expected a claim of another LP than 1, found LP 1',
  ],
  [
    'an owner that did not claim',
    'update orders set lp_id = 2 where id = 1',
    'an order belongs to the LP that claimed it last, and is paid to where that claim said: order 1: expected lp:1 at T1, found lp:2 at T1',
  ],
  [
    'a transaction that is not reserved',
    'delete from chain_transaction',
    'a settled order holds its transaction: order 1: expected trx ab, found none',
  ],
  [
    'an order that completed without a verdict',
    'delete from payment_verdict',
    'a settled order has the verdict of its chain: order 1: expected verified ab at version 5, found none',
  ],
  [
    'an order that completed with the verdict on another transaction',
    `update payment_verdict set tx_hash = 'cd'`,
    'a settled order has the verdict of its chain: order 1: expected verified ab at version 5, found verified cd',
  ],
  [
    'a transaction that was reserved when it was only named',
    `insert into chain_transaction (chain, tx_hash, order_id) values ('trx', 'cd', 2)`,
    'an order reserves only transactions that were verified, or that an admin accepted: order 2: expected a verdict on cd, found none',
  ],
  [
    'a transaction for nothing',
    `insert into chain_transaction (chain, tx_hash) values ('trx', 'cd')`,
    'a transaction is for one thing: trx cd: expected an order, a deposit, a payout or a posting, found ',
  ],
  [
    'a transaction that paid twice',
    `update orders set user_crypto_tx_hash = 'aB' where id = 2;
     update order_event set cause = 'verified' where order_id = 2 and seq = 4`,
    'a settled order holds its transaction: order 2: expected trx ab, found none',
  ],
  [
    'a missing webhook',
    'delete from webhook_delivery where order_id = 2 and seq = 3',
    'every change of status has a webhook, and nothing else: order 2, event 3: expected a webhook, found none',
  ],
  [
    'a webhook for nothing',
    'insert into webhook_delivery (order_id, seq) values (3, 1)',
    'every change of status has a webhook, and nothing else: order 3, event 1: expected no webhook, found a webhook, pending',
  ],
  [
    'a delivered webhook that the receiver refused',
    'update webhook_attempt set status_code = 500',
    'a delivered webhook was accepted, an exhausted one failed at every attempt: order 1, webhook 2: expected an attempt that was answered 2xx, found 1 attempts, the last ones answered 500',
  ],
  [
    'a webhook that was given up unsent',
    `update webhook_delivery set state = 'exhausted', finished_at = now() where order_id = 2 and seq = 2`,
    'a delivered webhook was accepted, an exhausted one failed at every attempt: order 2, webhook 2: expected 3 attempts that all failed, found 0 attempts, the last ones answered by nobody',
  ],
  [
    'a webhook that was given up too early',
    `update webhook_attempt set status_code = 500;
     update webhook_delivery set state = 'exhausted' where order_id = 1 and seq = 2`,
    'a delivered webhook was accepted, an exhausted one failed at every attempt: order 1, webhook 2: expected 3 attempts that all failed, found 1 attempts, the last ones answered 500',
  ],
  [
    'a redelivered webhook that was given up too early',
    `insert into webhook_attempt (delivery_id, attempt, status_code, duration_ms)
       select id, attempt, 500, 1 from webhook_delivery, generate_series(2, 3) attempt where order_id = 1 and seq = 2;
     update webhook_delivery set state = 'exhausted', attempts = 3, attempts_before = 1 where order_id = 1 and seq = 2`,
    'a delivered webhook was accepted, an exhausted one failed at every attempt: order 1, webhook 2: expected 3 attempts that all failed, found 3 attempts, the last ones answered 500, 500',
  ],
  [
    'a webhook with another body',
    `update webhook_delivery set body = '{"order_id": 1, "status": "completed"}' where body is not null`,
    'a webhook that was sent says what its event says: order 1, webhook 2: expected claimed, found completed',
  ],
  [
    'a key that promised another order',
    `update idempotency_key set response = jsonb_set(response::jsonb, '{order_id}', '3')`,
    'an idempotency key stands for one order of its agent: key of agent 1 for order 1: expected order 1 of agent 1, found order 3 of agent 1',
  ],
  [
    'an order with two idempotency keys',
    `insert into idempotency_key (agent_key_id, key, request_hash, order_id, response)
     select agent_key_id, 'l', request_hash, order_id, response from idempotency_key`,
    'an order was made by one request, with one rate lock at most: order 1: expected one idempotency key at most, found 2 idempotency keys',
  ],
  [
    'an order with two rate locks',
    `insert into rate_lock (id, agent_key_id, lp_id, amount_fiat, currency, method, rate_usd, spread_bps, amount_usd, fee_usd,
       amount_crypto, crypto_symbol, crypto_chain, expires_at, order_id)
     select 'lock-' || n, agent_key_id, 1, amount_fiat, currency, method, 129.5, 0, amount_usd, fee_usd,
       amount_crypto, crypto_symbol, crypto_chain, now(), id
     from orders, generate_series(1, 2) n where id = 3`,
    'an order was made by one request, with one rate lock at most: order 3: expected one rate lock at most, found 2 rate locks',
  ],
  [
    'a live order without its amount',
    'delete from reserved_amount where order_id = 2',
    'a live order has its amount for itself: order 2: expected its amount is reserved, found no reservation',
  ],
  [
    'an amount that an ended order still reserves',
    `insert into reserved_amount (chain, symbol, purpose, amount, order_id) values ('trx', 'usdt', 'order', 3, 1)`,
    'an order that has ended reserves its amount for a week at most, and only if nothing paid it: order 1: expected no reservation, found 3.000000000000 usdt until the end of the order',
  ],
  [
    'an amount that an unpaid order keeps for too long',
    `delete from chain_transaction;
     insert into reserved_amount (chain, symbol, purpose, amount, order_id, expires_at)
     select 'trx', 'usdt', 'order', 3, 1, completed_at + interval '8 days' from orders where id = 1`,
    /^an order that has ended reserves its amount for a week at most, and only if nothing paid it: order 1: expected no reservation, found 3.000000000000 usdt until \d{4}-/,
  ],
  [
    'an open withdrawal whose amount an order could have',
    `insert into collateral_withdrawal (id, lp_id, amount, asset, chain, address) values (70, 1, 7, 'usdt', 'trx', 'T7');
     delete from reserved_amount where withdrawal_id = 70 and purpose = 'order'`,
    'a requested withdrawal has its amount for itself: withdrawal 70: expected 7.000000 usdt is reserved as order, found no reservation',
  ],
  [
    'a live announcement without its amount',
    // The second deposit of 100 holds the amount.
    `update collateral_deposit set status = 'pending' where id = 1`,
    'a live announcement of a deposit has its amount for itself: deposit 1: expected 100.000000 usdt is reserved, found no reservation',
  ],
  [
    'a reserved float that no claim has',
    `update lp_term set float_reserved = 1295 where lp_id = 2`,
    'the reserved float of terms is that of open claims: LP 2, KES by mobile_money: expected 0, found 1295.00',
  ],
  [
    'a claim whose terms have lost its reserved float',
    `set session_replication_role = replica; update orders set float_reserved = 1295 where id = 2;
     delete from lp_term where lp_id = 2`,
    'the reserved float of terms is that of open claims: LP 2, KES by mobile_money: expected 1295.00, found no terms',
  ],
  [
    'a ledger that does not add up',
    'update lp_collateral set locked = locked + 1 where lp_id = 2',
    'locked balances are the collateral of open claims: lp:2:locked: expected 10, found 11',
  ],
];

test.each(DAMAGES)('%s is found', async (_, sql, line) => {
  const findings = await findingsAfter(sql);
  if (typeof line === 'string') expect(findings).toContain(line);
  else expect(findings).toContainEqual(expect.stringMatching(line));
});

test('every check of the database has a damage here', () => {
  const checks = Object.keys(INVARIANTS);
  const found = DAMAGES.map(([, , line]) => (typeof line === 'string' ? line : line.source.slice(1)));
  expect(checks.filter((check) => !found.some((line) => line.startsWith(`${check}: `)))).toEqual([]);
});
