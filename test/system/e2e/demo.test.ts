import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { STORIES } from '../../../demo/stories.ts';
import { createCaller } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';

/** Runs the stories as separate processes and reads their output, as a user does. */
const running: TestProcess[] = [];
afterEach(async () => {
  for (const process of running.splice(0)) {
    process.kill('SIGTERM');
    await process.ended;
  }
});
const demo = (args: string[], env: Record<string, string>): TestProcess => {
  const process = run('demo/main.ts', args, env);
  running.push(process);
  return process;
};
/** Runs a story, which must succeed and end, and returns its output. */
const outputOf = async (args: string[], env: Record<string, string>): Promise<string> => {
  const process = demo(args, env);
  const exit = await process.ended;
  expect([exit, process.stderr()]).toEqual([0, '']);
  return process.stdout();
};
/** Waits until the process prints the text. Fails with its output. */
const shows = (process: TestProcess, text: string) =>
  eventually(async () => process.stdout().includes(text), 150_000).catch((cause) => {
    throw new Error(`the process does not print "${text}":\n${process.stdout()}${process.stderr()}`, {
      cause,
    });
  });
/** Statuses of the webhooks in order of arrival. */
const webhooks = (text: string) =>
  [...text.matchAll(/webhook: (\w+) at \S+, signature verified/g)].map(([, status]) => status);
/** The lines of the table under a sentence, each as its cells. */
const tableAfter = (text: string, sentence: string): string[][] => {
  const [, after] = text.split(sentence);
  if (after === undefined) throw new Error(`"${sentence}" is not in the output:\n${text}`);
  const [paragraph = ''] = after.split('\n\n');
  return paragraph
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/ {2,}/));
};
/** Truncates amounts to cents: the exact amount of a deposit is less than a cent above the announced one. */
const inCents = (rows: string[][]) =>
  rows.map((cells) =>
    cells.map((cell) => (/^\d+\.\d+$/.test(cell) ? String(Math.trunc(Number(cell) * 100) / 100) : cell)),
  );
/** A timeline without the times. */
const timelineOf = (text: string, orderId: number) =>
  tableAfter(text, `The timeline of order ${orderId}:`)
    .slice(1)
    .map(([, ...rest]) => rest)
    .filter(({ length }) => length > 0);

describe('on a running Corridor', () => {
  let corridor: TestCorridor;
  let env: Record<string, string>;
  beforeAll(async () => {
    corridor = await startCorridor();
    env = { PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET };
  });
  afterAll(() => corridor.stop());

  test('an admin ends the dispute with a dry run and a slash, and the postings show every cent', async () => {
    const text = await outputOf(['--story', 'dispute'], env);
    const orderId = Number(/order (\d+) is matched/.exec(text)?.[1]);
    expect(webhooks(text)).toEqual(['claimed', 'fiat_sent', 'disputed', 'cancelled']);
    expect(text.match(/200 {"status":"disputed"}/g)).toHaveLength(2);
    expect(text).toContain('409 {"error":"The order is disputed, which does not allow this"}');

    const [lpId] = /lp:(\d+):locked/.exec(text)?.slice(1) ?? [];
    const mine = `lp:${lpId}:available`;
    const inUse = `lp:${lpId}:locked`;
    const postings = [
      ['release', '37.5', inUse, mine],
      ['slash', '12.5', inUse, 'platform:slashed'],
    ];
    for (const sentence of ['The admin makes a dry run', 'The admin resolves the dispute.'])
      expect(tableAfter(text, sentence)).toEqual(expect.arrayContaining(postings));
    expect(text).toContain(`POST /api/admin/orders/${orderId}/resolve?dry_run=true`);

    expect(inCents(tableAfter(text, 'The collateral of Savanna Liquidity:').slice(1))).toEqual([
      ['before the claim', '500', '0', '500'],
      ['while disputed', '450', '50', '500'],
      ['after the dry run', '450', '50', '500'],
      ['after the resolve', '487.5', '0', '487.5'],
    ]);
    expect(timelineOf(text, orderId)).toEqual([
      ['matched', 'agent', 'pay', '–'],
      ['claimed', `LP ${lpId}`, 'claim', '–'],
      ['fiat_sent', `LP ${lpId}`, 'fiatSent', '–'],
      ['disputed', 'agent', 'dispute', 'Nothing has arrived at the recipient'],
      ['cancelled', 'admin', 'resolve', 'The bank knows of no such transfer'],
    ]);
  });
});

test('a Corridor that refuses the URL of the webhooks is named before the story creates anything', async () => {
  const corridor = await startCorridor({ env: { WEBHOOK_ALLOW_PRIVATE: 'false' } });
  try {
    const refused = demo(['--story', 'completed'], {
      ...{ PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET },
    });
    expect(await refused.ends()).toBe(1);
    expect(refused.stderr()).toMatch(
      /^The Corridor at \S+ sends no webhooks to http:\/\/127\.0\.0\.1:\d+\/webhooks, .* WEBHOOK_ALLOW_PRIVATE=true, .*\n$/,
    );
    const { rows } = await corridor.db.pool.query(
      'select (select count(*) from app_user) + (select count(*) from lp) + (select count(*) from agent_key) as made',
    );
    expect(Number(rows[0].made)).toBe(0);
  } finally {
    await corridor.stop();
  }
});

describe('on its own Corridor', () => {
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'corridor-stories-'));
    // Settings of another Corridor. With them the story would fail or take days, so it must ignore them.
    env = {
      TMPDIR: folder,
      DATABASE_URL: 'postgres://nowhere',
      CLAIM_TIMEOUT: '7d',
      FIAT_TIMEOUT: '7d',
      CHAIN_TRX_RPC_URL: 'http://nowhere',
    };
  });
  afterEach(async () => expect(await readdir(folder)).toEqual([]));
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const addressIn = (text: string) => /ready at (\S+)/.exec(text)?.[1] ?? '';
  const answers = (address: string) =>
    createCaller(address)('GET', '/healthz').then(
      () => true,
      () => false,
    );

  test('one LP gets a strike, one none, and the third is paid', async () => {
    const text = await outputOf(['--story', 'no-show', '--exit'], env);
    expect(webhooks(text)).toEqual([
      ...['claimed', 'matched', 'claimed', 'matched'],
      ...['claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed'],
    ]);
    expect(text).toContain('409 {"error":"This LP is cooling down after a strike');
    expect(inCents(tableAfter(text, 'The three LPs now.').slice(1))).toEqual([
      ['Savanna Liquidity', '1', '500', '0', expect.stringMatching(/^\d\d:\d\d:\d\d$/)],
      ['Rift Valley FX', '0', '500', '0', '–'],
      ['Coast Exchange', '0', '499.75', '0', '–'],
    ]);
    expect(timelineOf(text, 1)).toEqual([
      ['matched', 'agent', 'pay', '–'],
      ['claimed', 'LP 1', 'claim', '–'],
      ['matched', 'service', 'deadline', 'The LP did not send the fiat in time'],
      ['claimed', 'LP 2', 'claim', '–'],
      ['matched', 'LP 2', 'release', 'Our mobile-money float is empty'],
      ['claimed', 'LP 3', 'claim', '–'],
      ['fiat_sent', 'LP 3', 'fiatSent', '–'],
      ['confirmed', 'agent', 'confirm', '–'],
      ['crypto_verify_pending', 'agent', 'settle', '–'],
      ['completed', 'service', 'verified', '–'],
    ]);
    expect(await answers(addressIn(text))).toBe(false);
  });

  test('an order expires, and an extended one does not', async () => {
    const text = await outputOf(['--story', 'expiry', '--exit'], env);
    expect(webhooks(text)).toEqual(['cancelled', 'cancelled']);
    expect(text).toMatch(/Order 1 is older, but still open\.\n {2}matched, waiting for lp until \S+\n/);
    expect(timelineOf(text, 2)).toEqual([
      ['matched', 'agent', 'pay', '–'],
      ['cancelled', 'service', 'deadline', 'No LP claimed the order in time'],
    ]);
    expect(timelineOf(text, 1)).toEqual([
      ['matched', 'agent', 'pay', '–'],
      ['matched', 'admin', 'extend', 'The LPs’ bank opens late today'],
      ['cancelled', 'agent', 'cancel', 'The payer has changed their mind'],
    ]);
  });

  test('on a real chain, an underpayment is refused and a full payment completes the order', async () => {
    const text = await outputOf(['--story', 'evm', '--exit'], env);
    expect(webhooks(text)).toEqual([
      ...['claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'confirmed'],
      ...['crypto_verify_pending', 'completed'],
    ]);
    const [, reason] = text.match(/reason: (The transaction pays 40 usdt, not exactly 50\.45\d*: .*)/) ?? [];
    expect(reason).toBeDefined();
    const mined = [...text.matchAll(/transaction (0x[0-9a-f]{64}) in block (\d+)/g)];
    const blocks = mined.map(([, , block]) => Number(block));
    expect(blocks).toHaveLength(3);
    expect(blocks).toEqual(blocks.toSorted((a, b) => a - b));
    for (const [, hash] of mined.slice(1)) expect(text).toContain(`{"tx_hash":"${hash}"}`);
    for (const [, final] of text.matchAll(/final up to block (\d+)/g))
      expect(blocks.slice(1)).toContain(Number(final));
    expect(text).toMatch(/90\.45\d* usdt at 0x[0-9a-fA-F]{40}\n/);
    expect(timelineOf(text, 1).slice(-4)).toEqual([
      ['crypto_verify_pending', 'agent', 'settle', '–'],
      ['confirmed', 'service', 'invalid', reason],
      ['crypto_verify_pending', 'agent', 'settle', '–'],
      ['completed', 'service', 'verified', '–'],
    ]);
    const chain = /chain 31337 at (\S+)/.exec(text)?.[1] ?? '';
    expect(await answers(chain)).toBe(false);
  });

  test('Ctrl-C during a story leaves nothing behind', async () => {
    const process = demo(['--story', 'no-show'], env);
    await shows(process, 'does nothing more');
    const address = addressIn(process.stdout());
    expect(await answers(address)).toBe(true);
    process.kill('SIGINT');
    expect([await process.ended, process.stderr()]).toEqual([130, '']);
    expect(await answers(address)).toBe(false);
  });

  test('a story that fails leaves nothing behind', async () => {
    const process = demo(['--story', 'no-show'], env);
    await shows(process, 'does nothing more');
    const [data = ''] = await readdir(folder);
    const pid = Number(await readFile(join(folder, data, 'corridor.pid'), 'utf8'));
    globalThis.process.kill(pid, 'SIGTERM');
    expect(await process.ended).toBe(1);
    expect(process.stderr()).toBe('The demo failed: its own Corridor has ended\n');
  });

  test('Ctrl-C while its Corridor starts leaves nothing behind', async () => {
    const process = demo(['--story', 'expiry'], env);
    await shows(process, 'starting PostgreSQL');
    process.kill('SIGINT');
    expect([await process.ended, process.stderr()]).toEqual([130, '']);
  });

  test('where no Corridor runs, it says where to look, and serves until Ctrl-C', async () => {
    const process = demo([], { ...env, PORT: String(await freePort()) });
    await shows(process, 'runs until Ctrl-C');
    await shows(process, 'Next story');
    const text = process.stdout();
    expect(webhooks(text).at(-1)).toBe('completed');
    const [console = '', reference = '', temporalUi = ''] = ['Console', 'Reference', 'Temporal UI'].map(
      (place) => new RegExp(`^  ${place} +(\\S+)`, 'm').exec(text)?.[1],
    );
    for (const address of [console, reference, temporalUi]) expect((await fetch(address)).status).toBe(200);
    const [, adminKey] = /^ {2}Admin key +(\S+)$/m.exec(text) ?? [];
    const orders = await createCaller(new URL(console).origin, adminKey)('GET', '/api/admin/orders');
    expect([orders.status, orders.body.orders.length]).toEqual([200, 1]);

    // In another terminal, with what it says.
    const [, PORT = '', DATA_DIR = ''] = /PORT=(\S+) DATA_DIR=(\S+) npm run demo/.exec(text) ?? [];
    const next = await outputOf(['--story', 'dispute'], { PORT, DATA_DIR });
    expect(webhooks(next).at(-1)).toBe('cancelled');

    process.kill('SIGINT');
    expect([await process.ended, process.stderr()]).toEqual([130, '']);
    expect(await answers(new URL(console).origin)).toBe(false);
  });

  test('where another program has the port, with --exit it ends after the story', async () => {
    const other = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1');
    try {
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const text = await outputOf(['--exit'], { ...env, PORT: String(port) });
      expect(webhooks(text).at(-1)).toBe('completed');
      expect(await answers(addressIn(text))).toBe(false);
    } finally {
      other.close();
    }
  });
});

describe('a demo that starts nothing', () => {
  const refusal = async (args: string[], env: Record<string, string>) => {
    const process = demo(args, env);
    expect([await process.ended, process.stdout()]).toEqual([1, '']);
    expect(process.stderr()).toMatch(/^[^\n]+\n$/);
    return process.stderr();
  };

  test.each(['help', 'list', '--help'])('lists the stories for %s', async (word) => {
    const text = await outputOf([word], {});
    for (const name of Object.keys(STORIES)) expect(text).toContain(name);
  });

  test('lists the stories if it does not know the given one', async () => {
    const message = await refusal(['--story', 'constructor'], {});
    for (const name of Object.keys(STORIES)) expect(message).toContain(name);
  });

  test('names the address if no Corridor runs there', async () => {
    const PUBLIC_URL = `http://127.0.0.1:${await freePort()}`;
    expect(await refusal([], { PUBLIC_URL })).toBe(
      `No Corridor is ready at ${PUBLIC_URL}. Start one with "npm start", in another terminal, or set PUBLIC_URL to the address of one.\n`,
    );
  });

  test('names an invalid setting', async () => {
    expect(await refusal([], { CLAIM_TIMEOUT: 'soon' })).toContain('CLAIM_TIMEOUT');
  });
});
