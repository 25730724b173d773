import { type ChildProcess, spawn } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { publishTerms } from '../../../src/market/lps/publish-terms.ts';
import { freePort } from '../../../src/process/free-port.ts';
import {
  type Agent,
  adminDoes,
  claim,
  confirmedOrder,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  payment,
  release,
  statusOf,
} from '../../support/actors.ts';
import { installClient, ROOT } from '../../support/client-package.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';

/** The examples as users run them: with the built package, each in its own process. */
let corridor: TestCorridor;
let folder: string;
const children: ChildProcess[] = [];
beforeAll(async () => {
  corridor = await startCorridor();
  folder = mkdtempSync(join(tmpdir(), 'corridor-examples-'));
  await installClient(folder);
  cpSync(join(ROOT, 'examples'), folder, {
    recursive: true,
    filter: (file) => !file.includes('node_modules'),
  });
});
/** A bot that goes on would claim the orders of the next test. */
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await corridor.stop();
});

function start(file: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', CORRIDOR_URL: corridor.config.publicUrl, ...env },
  });
  children.push(child);
  const printed: string[] = [];
  child.stdout.on('data', (text) => printed.push(String(text)));
  child.stderr.on('data', (text) => printed.push(String(text)));
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const prints = (words: string) =>
    eventually(async () => {
      if (child.exitCode !== null) throw new Error(`${file} ended: ${printed.join('')}`);
      return printed.join('').includes(words);
    }).catch((error) => {
      throw new Error(`${file} did not print "${words}": ${printed.join('')}`, { cause: error });
    });
  return { child, ended, prints, printed: () => printed.join('') };
}

const SHOP_KEY = 'a key of the shop';

/** The shop's server of this agent. */
const startServer = async (agent: Agent, port?: number) =>
  start('agent-server.ts', {
    CORRIDOR_KEY: agent.key,
    CORRIDOR_WEBHOOK_SECRET: agent.webhookSecret,
    CORRIDOR_USER_ID: String(agent.userId),
    SHOP_KEY,
    PORT: String(port ?? (await freePort())),
  });

test('each example is short', () => {
  const examples = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.ts'));
  expect(examples).toEqual(['agent-server.ts', 'journal.ts', 'lp-bot.ts']);
  for (const file of examples)
    expect(readFileSync(join(ROOT, 'examples', file), 'utf8').split('\n').length).toBeLessThan(140);
});

test('the bot and the agent’s server complete the orders that match the bot’s rule, and no others', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor, { spreadBps: 100 });
  const port = await freePort();
  const server = await startServer(agent, port);
  await server.prints('taking payouts');
  const ask = async (method: string, path: string, body?: object, key = SHOP_KEY) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}` },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: response.status, body: (await response.json()) as { order_id: number; status: string } };
  };
  const payOut = async (reference: string, amount: number) => {
    const payout = { reference, amount, currency: 'KES', recipient: '+254700000001' };
    const { status, body } = await ask('POST', '/payouts', payout);
    expect(status).toBe(201);
    return body.order_id;
  };

  // Earns 0.02 USD; 0.10; 2.00, and locks 200.
  const [small, before, large] = [
    await payOut('a', 259),
    await payOut('b', 1_295),
    await payOut('c', 25_900),
  ];
  expect(await payOut('b', 1_295)).toBe(before);
  const bot = start('lp-bot.ts', { LP_KEY: lp.key, MIN_PROFIT_USD: '0.05', MAX_COLLATERAL_USD: '50' });
  await bot.prints('the feed is live');
  const after = await payOut('d', 1_295);
  for (const id of [before, after])
    await eventually(async () => (await ask('GET', `/payouts/${id}`)).body.status === 'completed', 120_000);
  await bot.prints(`order ${after}: completed`);
  for (const id of [small, large]) await bot.prints(`order ${id}: passed over`);
  for (const id of [small, large])
    expect((await ask('GET', `/payouts/${id}`)).body).toMatchObject({ status: 'matched' });

  // Without a rate that holds nobody knows what an order earns. Another LP is quoted for this one.
  await newLp(corridor);
  const corridorOfOrder = { lpId: lp.id, currency: 'KES', method: 'mobile_money' };
  await publishTerms(corridor.db, corridorOfOrder, { rate: { rate_usd: '131', validForMs: 1 } });
  await bot.prints(`order ${await payOut('e', 1_295)}: passed over, earns unknown USD`);

  const terms = async () => (await lp.call('GET', `/api/lp/${lp.key}/terms`)).body.terms;
  const [bank, mobile] = await terms();
  expect(bank).toMatchObject({ method: 'bank_transfer', rate_usd: 130.5, max: 250_000, float: 2_000_000 });
  expect(mobile).toMatchObject({ method: 'mobile_money', rate_usd: 131, float: 497_410, float_reserved: 0 });

  // Others reach the port too, because Corridor must.
  const stolen = { reference: 'z', amount: 1_295, currency: 'KES', recipient: '+254700000666' };
  for (const key of ['', `${SHOP_KEY}x`])
    expect((await ask('POST', '/payouts', stolen, key)).status).toBe(401);
  expect((await ask('GET', `/payouts/${after}`, undefined, 'none')).status).toBe(401);
  // A forged webhook has no effect.
  expect((await ask('POST', '/webhooks', { event: 'order.status_changed' })).status).toBe(401);
  bot.child.kill('SIGTERM');
  expect([await bot.ended, bot.printed()]).toEqual([0, expect.stringContaining('stopped')]);
  for (const { quoting } of await terms()) expect(quoting).toBe(false);
});

test('the bot pays orders that were claimed before it started, and the server settles orders that moved while it was stopped', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor, { currency: 'UGX', rate: 3_700 });
  const orders = [];
  for (let i = 0; i < 2; i++) {
    const body = { amount: 37_000, currency: 'UGX', recipient: '+256700000001', user_id: agent.userId };
    const { body: paid } = await agent.call('POST', '/api/v1/pay', body);
    await expectStatus(200, claim(lp, paid.order_id));
    orders.push(paid.order_id as number);
  }
  const bot = start('lp-bot.ts', { LP_KEY: lp.key });
  for (const id of orders) await bot.prints(`order ${id}: fiat_sent`);
  const server = await startServer(agent);
  for (const id of orders) await server.prints(`order ${id} is confirmed`);
  for (const id of orders) await bot.prints(`order ${id}: completed`);
});

test('the bot pays no order that is frozen or due soon, until an admin unfreezes or extends it', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor);
  const [frozen, dueSoon] = [await newOrder(agent), await newOrder(agent)];
  for (const id of [frozen, dueSoon]) await expectStatus(200, claim(lp, id));
  await expectStatus(200, adminDoes(corridor.admin, 'freeze', frozen));
  // Claimed orders are due in half an hour.
  const bot = start('lp-bot.ts', { LP_KEY: lp.key, PAYMENT_S: '3600' });
  await bot.prints(`order ${frozen}: not paid, because it is frozen`);
  await bot.prints(`order ${dueSoon}: not paid, because it is due at`);

  const until = new Date(Date.now() + 7_200_000).toISOString();
  await expectStatus(200, adminDoes(corridor.admin, 'extend', dueSoon, { until }));
  await bot.prints(`order ${dueSoon}: reported as paid`);
  await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', frozen));
  await bot.prints(`order ${frozen}: not paid, because it is due at`);
  await expectStatus(200, adminDoes(corridor.admin, 'extend', frozen, { until }));
  await bot.prints(`order ${frozen}: reported as paid`);
  for (const id of [frozen, dueSoon]) expect(await statusOf(agent, id)).toBe('fiat_sent');
});

test('a restarted bot pays no order again, whether or not it had recorded the end of the payment', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor);
  const id = await newOrder(agent);
  await expectStatus(200, claim(lp, id));
  const journal = join(folder, `lp-${lp.id}-payments.log`);
  const readJournal = () => readFileSync(journal, 'utf8');
  // Without a worker, the order stays claimed, because no report of the payment can succeed.
  await corridor.stopWorker();
  try {
    const first = start('lp-bot.ts', { LP_KEY: lp.key });
    await first.prints(`order ${id}: sending`);
    await eventually(async () => readJournal().includes(': sent'));
    first.child.kill('SIGKILL');
    await first.ended;

    const paid = readJournal();
    writeFileSync(journal, paid.replace(/\n.*: sent example-\d+$/, ''));
    const interrupted = start('lp-bot.ts', { LP_KEY: lp.key });
    await interrupted.prints(`order ${id}: its payment failed or was interrupted`);
    interrupted.child.kill('SIGKILL');
    await interrupted.ended;
    expect(interrupted.printed()).not.toContain('sending');
    expect(await statusOf(agent, id)).toBe('claimed');
    writeFileSync(journal, paid);
  } finally {
    await corridor.startWorker();
  }

  // The first bot's report may succeed now. So this bot has another paid order, which nobody has reported.
  const unreported = await newOrder(agent);
  await expectStatus(200, claim(lp, unreported));
  const { body } = await agent.call('GET', `/api/orders/${unreported}`);
  const payment = `${unreported} of ${body.created_at}`;
  writeFileSync(journal, `${readJournal()}\n${payment}: sending\n${payment}: sent by hand`);
  const last = start('lp-bot.ts', { LP_KEY: lp.key });
  await last.prints(`order ${unreported}: reported as paid`);
  for (const paid of [id, unreported]) await eventuallyEquals(() => statusOf(agent, paid), 'fiat_sent');
  expect(last.printed()).not.toContain('sending');
});

test('the bot reports a payment until the service answers, and says which paid order it has lost', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor);
  const [reported, lost] = [await newOrder(agent), await newOrder(agent)];
  await expectStatus(200, claim(lp, reported));
  let refusals = 0;
  // Nothing else of the order changes, and the feed stays as it is.
  const front = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (request.url?.endsWith('/fiat-sent') && refusals++ < 6) return void response.writeHead(503).end();
    const answer = await fetch(corridor.config.publicUrl + request.url, {
      method: request.method ?? 'GET',
      headers: { authorization: String(request.headers.authorization), 'content-type': 'application/json' },
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const { port } = front.address() as AddressInfo;
  try {
    const settings = { CORRIDOR_URL: `http://127.0.0.1:${port}`, LP_KEY: lp.key, REPORT_EVERY_S: '1' };
    const bot = start('lp-bot.ts', { ...settings, MIN_PROFIT_USD: '1000' });
    await bot.prints(`order ${reported}: HTTP 503`);
    await bot.prints(`order ${reported}: reported as paid`);
    expect(await statusOf(agent, reported)).toBe('fiat_sent');

    const { created_at } = await expectStatus(200, agent.call('GET', `/api/orders/${lost}`));
    bot.child.kill('SIGKILL');
    await bot.ended;
    appendFileSync(join(folder, `lp-${lp.id}-payments.log`), `\n${lost} of ${created_at}: sending`);
    const next = start('lp-bot.ts', { ...settings, MIN_PROFIT_USD: '1000' });
    await next.prints('the feed is');
    await expectStatus(200, claim(lp, lost));
    await next.prints(`order ${lost}: its payment failed or was interrupted`);
    await expectStatus(200, release(lp, lost));
    await next.prints(`order ${lost}: paid, but lost`);
  } finally {
    front.closeAllConnections();
    front.close();
  }
});

test('a server pays no order that is frozen', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor);
  const older = await confirmedOrder(agent, lp);
  const id = await confirmedOrder(agent, lp);
  await expectStatus(200, adminDoes(corridor.admin, 'freeze', id));
  const journal = join(folder, 'shop-payments.log');
  const server = await startServer(agent);
  await server.prints(`order ${id} is confirmed`);
  // It takes the newest order first, so it has finished with the frozen one.
  await eventuallyEquals(() => statusOf(agent, older), 'completed');
  server.child.kill('SIGTERM');
  await server.ended;
  expect(readFileSync(journal, { encoding: 'utf8', flag: 'a+' })).not.toContain(`\n${id} of `);
  await expectStatus(200, adminDoes(corridor.admin, 'unfreeze', id));
  await startServer(agent);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
});

test('a restarted server pays no LP again, and names the transaction of its first payment', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor);
  const id = await confirmedOrder(agent, lp);
  const journal = join(folder, 'shop-payments.log');
  const { created_at } = await expectStatus(200, agent.call('GET', `/api/orders/${id}`));
  const key = `${id} of ${created_at}`;
  const paymentsTo = async () => {
    const sql =
      'select count(*)::int as n from sandbox_transaction t, orders o where o.id = $1 and t."to" = o.lp_receive_address';
    const [row] = await corridor.db.query<{ n: number }>('payments-to-lp', sql, [id]);
    return row?.n;
  };

  // Killed while it paid: the server cannot know whether the wallet has sent the crypto.
  appendFileSync(journal, `\n${key}: sending`);
  const interrupted = await startServer(agent);
  await interrupted.prints('its payment failed or was interrupted');
  interrupted.child.kill('SIGKILL');
  await interrupted.ended;
  expect([await statusOf(agent, id), await paymentsTo()]).toEqual(['confirmed', 0]);

  // Killed after it had paid, before it named the transaction.
  appendFileSync(journal, `\n${key}: sent ${await payment(corridor, agent, id)}`);
  await startServer(agent);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
  expect(await paymentsTo()).toBe(1);
});

test('the server’s payment carries the destination tag of the LP’s address', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor, { asset: false });
  const address = { address: 'rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh', destination_tag: 7 };
  const asset = { chain: 'xrpl', symbol: 'usdt', ...address };
  await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, asset));
  const id = await newOrder(agent, { crypto_chain: 'xrpl', crypto_symbol: 'usdt' });
  await expectStatus(200, claim(lp, id));
  await expectStatus(200, fiatSent(lp, id));
  await startServer(agent);
  await eventuallyEquals(() => statusOf(agent, id), 'completed');
});
