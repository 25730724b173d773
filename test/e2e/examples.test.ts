import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../src/embedded/free-port.ts';
import { publishTerms } from '../../src/lps/publish-terms.ts';
import { newAgent, newLp } from '../support/actors.ts';
import { installClient, ROOT } from '../support/client-package.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';

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
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
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

test('each example is short', () => {
  const examples = readdirSync(join(ROOT, 'examples')).filter((file) => file.endsWith('.ts'));
  expect(examples).toEqual(['agent-server.ts', 'lp-bot.ts']);
  for (const file of examples)
    expect(readFileSync(join(ROOT, 'examples', file), 'utf8').split('\n').length).toBeLessThan(100);
});

test('the bot and the agent’s server complete the orders that match the bot’s rule, and no others', async () => {
  const agent = await newAgent(corridor);
  const lp = await newLp(corridor, { spreadBps: 100 });
  const port = await freePort();
  const server = start('agent-server.ts', {
    CORRIDOR_KEY: agent.key,
    CORRIDOR_WEBHOOK_SECRET: agent.webhookSecret,
    CORRIDOR_USER_ID: String(agent.userId),
    PORT: String(port),
  });
  await server.prints('taking payouts');
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
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
    await lp.call('POST', `/api/orders/${paid.order_id}/claim`, {});
    orders.push(paid.order_id as number);
  }
  const bot = start('lp-bot.ts', { LP_KEY: lp.key });
  for (const id of orders) await bot.prints(`order ${id}: fiat_sent`);
  const server = start('agent-server.ts', {
    CORRIDOR_KEY: agent.key,
    CORRIDOR_WEBHOOK_SECRET: agent.webhookSecret,
    CORRIDOR_USER_ID: String(agent.userId),
    PORT: String(await freePort()),
  });
  for (const id of orders) await server.prints(`order ${id} is confirmed`);
  for (const id of orders) await bot.prints(`order ${id}: completed`);
});
