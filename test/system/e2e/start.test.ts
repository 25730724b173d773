import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { type Agent, newAgent, newLp, payment, type TestLp } from '../../support/actors.ts';
import { run, runScript, type TestProcess } from '../../support/processes.ts';
import { claim, confirm, fiatSent, newOrder, settle } from '../../support/repeated-steps.ts';

/** `npm start` and `npm run demo` as a new user runs them: everything is embedded, in separate processes. */
let dataDir: string;
let env: Record<string, string>;
let baseUrl: string;
let receiver: WebhookReceiver | undefined;
const running: TestProcess[] = [];

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'corridor-start-'));
  const [api, ui] = [await freePort(), await freePort()];
  env = { DATA_DIR: dataDir, PORT: String(api), TEMPORAL_UI_PORT: String(ui) };
  baseUrl = `http://127.0.0.1:${api}`;
});
afterEach(async () => {
  await receiver?.close();
  receiver = undefined;
  for (const process of running.splice(0)) {
    process.kill('SIGTERM');
    await process.ends();
  }
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const start = async () => {
  const process = run('src/main.ts', ['all'], env);
  running.push(process);
  await process.prints('corridor: ready');
  return process;
};
const secrets = async () => JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8'));

test('a first start is ready, shows where everything is, and the demo runs to completed', async () => {
  const corridor = await start();
  const { adminApiKey } = await secrets();
  for (const shown of [
    baseUrl,
    `${baseUrl}/docs`,
    `${baseUrl}/console`,
    `http://127.0.0.1:${env.TEMPORAL_UI_PORT}`,
    adminApiKey,
  ]) {
    expect(corridor.stderr()).toContain(shown);
  }
  expect(corridor.stderr()).toMatch(
    /^ {2}Mode +development\n {2}Sandbox +on\b.*\n {2}Fee +0\.5 %.*\n {2}Chains /m,
  );
  const call = createCaller(baseUrl);
  expect(await call('GET', '/readyz')).toMatchObject({
    status: 200,
    body: { ready: true, api: true, database: true, temporal: true, worker: true },
  });
  expect(await call('GET', '/healthz')).toMatchObject({ status: 200, body: { ok: true } });
  const temporal = `http://127.0.0.1:${env.TEMPORAL_UI_PORT}`;
  expect((await fetch(temporal)).status).toBe(200);
  // Ended orders stay in Temporal for seven days, although the development server's own default is one.
  const namespace = await (await fetch(`${temporal}/api/v1/namespaces/corridor`)).json();
  expect(namespace).toMatchObject({ config: { workflowExecutionRetentionTtl: '604800s' } });
  expect(await (await fetch(`${baseUrl}/console/app.js`)).text()).toContain('Sign in');

  // The data folder also contains the port of the UI.
  const { TEMPORAL_UI_PORT: uiPort, ...others } = env;
  const demo = run('demo/main.ts', [], others);
  expect(await demo.ends()).toBe(0);
  expect(demo.stdout()).toContain(`http://127.0.0.1:${uiPort}/namespaces/corridor/workflows/order-1\n`);
  expect(demo.stdout()).toMatch(/order \d+ is completed/);
  expect(demo.stdout().match(/signature verified/g)).toHaveLength(5);

  // Other users of the machine cannot read what the folder contains.
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const modes = await Promise.all(
    // The servers remove some of their files meanwhile.
    files.map(async (file) => ({ file, mode: ((await stat(file).catch(() => null))?.mode ?? 0) & 0o077 })),
  );
  expect(modes.length).toBeGreaterThan(5);
  expect(modes.filter(({ mode }) => mode !== 0)).toEqual([]);

  // Finds Corridor by its data folder alone.
  const why = run('src/cli/main.ts', ['why', '1'], env);
  expect([await why.ends(), why.stderr()]).toEqual([0, '']);
  expect(why.stdout()).toMatch(/^Order 1 is completed\. It has ended\.\n\nNothing blocks it\.\n/);
  expect(why.stdout()).toContain(
    `http://127.0.0.1:${env.TEMPORAL_UI_PORT}/namespaces/corridor/workflows/order-1\n`,
  );

  const check = run('src/cli/check-invariants.ts', [], env);
  expect([await check.ends(), check.stdout(), check.stderr()]).toEqual([0, 'Everything holds.\n', '']);

  corridor.kill('SIGINT');
  expect(await corridor.ends()).toBe(0);
  const log = corridor.stdout();
  expect(
    log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).route),
  ).toContain('/api/lp/:lp_key/assets');
  // The keys, recipients and phones of the demo.
  expect(log).not.toMatch(/lp_[0-9a-f]{48}|rk_live_|2547000000|Demo recipient|admin_[0-9a-f]/);
});

describe.each([
  ['SIGTERM', 0],
  ['SIGKILL', 'SIGKILL'],
] as const)('everything ended by %s in the middle of an order', (signal, exit) => {
  test('and started again, lets that order finish', async () => {
    let corridor = await start();
    const { adminApiKey, webhookSecret } = await secrets();
    receiver = await startWebhookReceiver(webhookSecret);
    const parties = {
      admin: createCaller(baseUrl, adminApiKey),
      anyone: createCaller(baseUrl),
      as: (key: string) => createCaller(baseUrl, key),
    };
    const agent: Agent = await newAgent(parties);
    const lp: TestLp = await newLp(parties);
    const id = await newOrder(agent, { callback_url: receiver.url });
    await expectStatus(200, claim(lp, id));

    const restart = async () => {
      corridor.kill(signal);
      expect(await corridor.ends()).toBe(exit);
      running.splice(0);
      corridor = await start();
    };
    await restart();
    await expectStatus(200, fiatSent(lp, id));
    await expectStatus(200, confirm(agent, id));
    const hash = await payment(parties, agent, id, { final_after_ms: 1_000 });
    await expectStatus(200, settle(agent, id, hash));
    await restart();
    const webhook = await receiver.next(({ body }) => body.order_id === id && body.status === 'completed');
    expect(webhook.signatureIsValid).toBe(true);
  }, 300_000);
});

test('a signal to npm stops everything', async () => {
  const npm = runScript('start', env);
  running.push(npm);
  await npm.prints('corridor: ready');
  npm.kill('SIGTERM');
  expect(await npm.ends()).toBe(0);
  const left = (await readdir(dataDir, { recursive: true })).filter((name) => /\.pid$/.test(name));
  expect(left).toEqual([]);
});

test('a stop in the middle of a first start leaves nothing running, and the next start works', async () => {
  const fresh = await mkdtemp(join(tmpdir(), 'corridor-cut-'));
  const process = run('src/main.ts', ['all'], { ...env, DATA_DIR: fresh });
  await process.prints('starting Temporal');
  process.kill('SIGTERM');
  expect(await process.ends()).toBe(0);
  const left = (await readdir(fresh, { recursive: true })).filter((name) => /\.pid$/.test(name));
  expect(left).toEqual([]);
  const again = run('src/main.ts', ['all'], { ...env, DATA_DIR: fresh });
  running.push(again);
  await again.prints('corridor: ready');
  again.kill('SIGTERM');
  await again.ended;
  await rm(fresh, { recursive: true, force: true });
});

describe('an impossible start', () => {
  const refusal = async (args: string[], settings: Record<string, string>) => {
    const process = run('src/main.ts', args, settings);
    expect(await process.ends()).toBe(1);
    return process.stderr();
  };

  test.each([
    ['PORT', 'PORT'],
    ['TEMPORAL_UI_PORT', 'TEMPORAL_UI_PORT'],
  ])('with %s taken is reported in one line', async (setting) => {
    const server = createServer();
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    const said = await refusal(['all'], { ...env, [setting]: String(port) });
    server.close();
    const line = `corridor: Port ${port} on 127.0.0.1 is taken by another program. Free it, or set ${setting} to another port.`;
    expect(said.split('\n').filter((text) => !text.startsWith('corridor: starting'))).toEqual([line, '']);
  });

  test('because another program takes PORT during the start is reported, and ends', async () => {
    const port = await freePort();
    const process = run('src/main.ts', ['all'], { ...env, PORT: String(port) });
    running.push(process);
    await process.prints('starting PostgreSQL');
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    expect(await process.ends()).toBe(1);
    server.close();
    expect(process.stderr()).toMatch(
      `\ncorridor: Port ${port} on 127.0.0.1 is taken by another program. Free it, or set PORT to another port.\n`,
    );
  });

  test('on data that another start uses is reported in one line', async () => {
    const corridor = await start();
    const ports = { PORT: String(await freePort()), TEMPORAL_UI_PORT: String(await freePort()) };
    const said = await refusal(['all'], { ...env, ...ports });
    expect(said).toBe(
      `corridor: Corridor already runs on ${dataDir} (pid ${corridor.pid}). Stop it, or set DATA_DIR to another folder.\n`,
    );
    expect((await createCaller(baseUrl)('GET', '/readyz')).status).toBe(200);
  });

  test.each([
    [
      ['all'],
      { NODE_ENV: 'production' },
      /^corridor: .*in production ADMIN_API_KEY and WEBHOOK_SECRET must be set.*\n$/,
    ],
    [['all'], { CLAIM_TIMEOUT: 'soon' }, /^corridor: .*CLAIM_TIMEOUT must be a duration.*"soon".*\n$/],
    [
      ['all'],
      { PLATFORM_FEE_BP: '30' },
      /^corridor: .*PLATFORM_FEE_BP is not a setting: did you mean PLATFORM_FEE_BPS\?.*\n$/,
    ],
    [['all'], { CORS_ORIGINS: 'example.com' }, /^corridor: .*"example\.com" is not scheme:.*\n$/],
    [['api'], {}, /^corridor: DATABASE_URL and TEMPORAL_ADDRESS must be set.*\n$/],
    [['everything'], {}, /usage: /],
  ])('as %j with %j is explained', async (args, settings, text) => {
    expect(await refusal(args, { ...settings, DATA_DIR: dataDir, PORT: String(await freePort()) })).toMatch(
      text,
    );
  });
});
