import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { ENDINGS, type EndingName } from '../../../companion/endings.ts';
import { expectStatus } from '../../../dev/http-client.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { type Agent, newAgent, rowOf } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, WEBHOOK_SECRET } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';
import { run, type TestProcess } from '../../support/processes.ts';

/** `npm run listen` and `npm run trigger`, as an integrator runs them side by side. */
let corridor: TestCorridor;
let agent: Agent;
let folder: string;
let env: Record<string, string>;
const running: TestProcess[] = [];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-companion-'));
  corridor = await startCorridor();
  agent = await newAgent(corridor);
  env = {
    ...{ PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY, WEBHOOK_SECRET },
    DATA_DIR: folder,
  };
});
afterEach(async () => {
  for (const process of running.splice(0)) {
    process.kill('SIGTERM');
    await process.ended;
  }
  expect(await readdir(folder)).toEqual([]);
});
afterAll(async () => {
  await corridor.stop();
  await rm(folder, { recursive: true });
});

const started = (file: string, args: string[], more: Record<string, string> = {}): TestProcess => {
  const process = run(`companion/${file}.ts`, args, { ...env, ...more });
  running.push(process);
  return process;
};
/** Starts `npm run listen` and returns the callback_url that it prints. */
async function listen(...args: string[]) {
  const process = started('listen', ['--port', '0', ...args]);
  const url = await eventually(async () => /http:\S+\/webhooks/.exec(process.stdout())?.[0]);
  await eventually(async () => process.stdout().includes('until Ctrl-C'));
  return { process, url };
}
async function trigger(ending: string, ...args: string[]) {
  const process = started('trigger', [ending, ...args]);
  const exit = await process.ended;
  const orderId = Number(/order (\d+) is matched/.exec(process.stdout())?.[1]);
  return { exit, stdout: process.stdout(), stderr: process.stderr(), orderId };
}
/** An integrator's receiver. It refuses the first webhook of this status. */
async function receiver(refused: string) {
  const received: { raw: Buffer; headers: IncomingHttpHeaders }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const isFirst = !received.some((one) => one.raw.equals(raw));
    received.push({ raw, headers: request.headers });
    response.writeHead(isFirst && raw.includes(`"status":"${refused}","timestamp"`) ? 500 : 200).end('seen');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}/hooks?x=1`, received, close };
}
const lines = (process: TestProcess, orderId: number) =>
  process
    .stdout()
    .split('\n')
    .filter((line) => line.includes(`order ${orderId} `));

describe('listen', () => {
  test('shows every webhook of an order, forwards it byte for byte, and marks a retry', async () => {
    const target = await receiver('fiat_sent');
    try {
      const { process, url } = await listen('--forward', target.url);
      const { exit, stderr, stdout, orderId } = await trigger('completed');
      expect([exit, stderr]).toEqual([0, '']);
      expect(stdout).toContain(`webhooks go to ${url}`);
      await eventually(async () => lines(process, orderId).some((line) => line.includes(' completed ')));
      const shown = lines(process, orderId).map((line) => line.trim().split(/ {2,}/).slice(2));
      // A slow worker may send a webhook once more than it records, so the number of attempts is not checked.
      expect([...new Set(shown.map(([status]) => status))]).toEqual([
        ...['claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'completed'],
      ]);
      for (const [, ...rest] of shown)
        expect(rest.slice(0, 2)).toEqual(['X-Service-Signature ok', 'Standard Webhooks ok']);
      const second = shown
        .filter(([status]) => status === 'fiat_sent')
        .map((cells) => cells.slice(3).join(' '));
      expect(second[0]).toMatch(/^the receiver answered 500 in \d+ ms$/);
      expect(second.at(-1)).toMatch(/^the receiver answered 200 in \d+ ms \(attempt \d+\)$/);
      const forwarded = target.received.flatMap(({ raw, headers }) => {
        new Webhook(`whsec_${Buffer.from(WEBHOOK_SECRET).toString('base64')}`).verify(
          raw,
          headers as Record<string, string>,
        );
        expect(headers).toMatchObject({
          host: new URL(target.url).host,
          'content-type': 'application/json',
          'user-agent': 'Corridor-Webhooks/1',
        });
        return JSON.parse(raw.toString()).status;
      });
      expect(forwarded).toEqual(shown.map(([status]) => status));
    } finally {
      await target.close();
    }
  });

  test('shows a redelivered webhook', async () => {
    const { process, url } = await listen();
    const { orderId, stdout } = await trigger('cancelled', '--agent-key', agent.key, '--callback-url', url);
    expect(stdout).toMatch(/cancelled +delivered +1 +200\n/);
    const path = '/api/v1/webhook-deliveries';
    const { deliveries } = await expectStatus(200, agent.call('GET', `${path}?order_id=${orderId}`));
    await expectStatus(202, agent.call('POST', `${path}/${deliveries[0].id}/redeliver`, {}));
    await eventually(async () => lines(process, orderId).length >= 2);
    expect(lines(process, orderId)[1]).toMatch(
      /cancelled .* ok .* ok {2}answered 200 in \d+ ms {2}\(attempt 2\)$/,
    );
  });

  test('--order shows only one order, and --body shows bodies', async () => {
    const { process, url } = await listen('--order', '8', '--body');
    const bodyOf = (order_id: number) =>
      JSON.stringify({ event: 'order.status_changed', order_id, status: 'claimed' });
    for (const body of [bodyOf(7), 'no JSON', bodyOf(8)])
      expect((await fetch(url, { method: 'POST', body })).status).toBe(401);
    expect((await fetch(url)).status).toBe(405);
    await eventually(async () => process.stdout().includes(bodyOf(8)));
    const [, shown = ''] = process.stdout().split('Webhooks, until Ctrl-C:');
    expect(shown).toMatch(
      /^\s+\S+ {2}order 8 {2}claimed +X-Service-Signature WRONG {2}Standard Webhooks WRONG {2}answered 401 in \d+ ms\n/,
    );
    expect(shown).toContain('X-Service-Signature: the webhook has no such signature');
    expect(shown).not.toMatch(/order 7|not an event/);
  });

  test('refuses a secret of an agent key that is none', async () => {
    const process = started('listen', ['--port', '0', '--own-secret', 'rk_live_0123']);
    expect(await process.ended).toBe(1);
    expect(process.stderr()).toContain('Write the webhook_secret of your agent key: whsec_ and base64.');
  });

  test('shows that its secret is not the one of the service', async () => {
    const process = started('listen', ['--port', '0', '--secret', 'another-secret-than-the-service-has']);
    await eventually(async () => process.stdout().includes('until Ctrl-C'));
    const { exit, orderId } = await trigger('cancelled');
    expect(exit).toBe(0);
    await eventually(async () => lines(process, orderId).length >= 3);
    expect(lines(process, orderId)[2]).toMatch(/WRONG.*WRONG.*answered 401.*\(attempt 3\)/);
    expect(process.stdout()).toContain('is it your own webhook secret');
  });

  test('reports that no receiver listens, and returns 502', async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}/hooks`;
    const { process } = await listen('--forward', nowhere);
    expect(process.stdout()).toContain('nothing listens there yet');
    const { stdout, orderId } = await trigger('expired');
    expect(stdout).toMatch(/cancelled +exhausted +3 +502\n/);
    expect(lines(process, orderId).length).toBeGreaterThanOrEqual(3);
    expect(process.stdout()).toContain(`nothing listens at ${nowhere}`);
  });

  test('--answer returns this status instead of 200', async () => {
    const { process } = await listen('--answer', '500');
    const { stdout, orderId } = await trigger('no-show');
    expect(stdout).toMatch(/claimed +exhausted +3 +500\n/);
    await eventually(async () => lines(process, orderId).length >= 6);
  });
});

describe('listen prints one line', () => {
  const refusal = async (args: string[]) => {
    const process = started('listen', args);
    expect([await process.ended, process.stdout()]).toEqual([1, '']);
    expect(process.stderr()).toMatch(/^[^\n]+\n$/);
    return process.stderr();
  };

  test('when its port is in use', async () => {
    const { port } = new URL(corridor.config.publicUrl);
    expect(await refusal(['--port', port])).toBe(
      `Port ${port} on 127.0.0.1 is in use by another program, perhaps by another npm run listen. Choose another with --port; 0 picks a free one.\n`,
    );
  });

  test('for --answer together with --forward, and for a --forward that is not a URL', async () => {
    expect(await refusal(['--answer', '500', '--forward', 'http://127.0.0.1:1'])).toContain(
      'cannot be used with',
    );
    expect(await refusal(['--forward', 'localhost'])).toContain('http://127.0.0.1:3000/webhooks');
  });
});

describe('trigger', () => {
  const STATUS: Record<EndingName, string> = {
    completed: 'completed',
    cancelled: 'cancelled',
    expired: 'cancelled',
    disputed: 'disputed',
    'no-show': 'matched',
  };

  test.each(Object.keys(ENDINGS) as EndingName[])('drives a real order to "%s"', async (ending) => {
    const args = ['--amount', '370000', '--currency', 'ugx', '--rate', '3700'];
    const { exit, stderr, stdout, orderId } = await trigger(ending, ...args);
    expect([exit, stderr]).toEqual([0, '']);
    expect(stdout).toContain('no webhooks: npm run listen is not running');
    const order = await rowOf(corridor.admin, orderId);
    expect(order).toMatchObject({
      status: STATUS[ending],
      currency: 'UGX',
      amount_fiat: 370_000,
      amount_usd: 100,
    });
    // Its agent key says who has made it, and ends by itself.
    const [key] = await expectStatus(200, corridor.admin('GET', '/api/admin/agent-keys'));
    expect(key.name).toBe('npm run trigger (ends after a day)');
    expect(Date.parse(key.expires_at) - Date.now()).toBeLessThanOrEqual(24 * 3_600_000);
    // Corridor must not quote its LP to others afterwards.
    const { lps } = await expectStatus(200, corridor.admin('GET', '/api/admin/lps?status=approved'));
    expect(lps).toEqual([]);
  });

  test('prints the refusal of the service, and leaves no LP behind', async () => {
    const { exit, stdout, stderr } = await trigger('completed', '--amount', '0.001');
    expect([exit, stderr.split('\n').length]).toEqual([1, 2]);
    expect(stderr).toContain('Could not drive an order to "completed": expected 201, the API answered 400');
    expect(stdout).toContain('The agent creates a payment of 0.001 KES.');
    const { lps } = await expectStatus(200, corridor.admin('GET', '/api/admin/lps?status=approved'));
    expect(lps).toEqual([]);
  });

  test('reports an unknown ending, a missing Corridor, a missing sandbox, an unknown key', async () => {
    const none = await trigger('lost');
    expect([none.exit, none.stderr]).toEqual([1, expect.stringContaining('completed, cancelled')]);
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const away = started('trigger', ['completed'], { PUBLIC_URL: nowhere });
    expect([await away.ended, away.stderr()]).toEqual([
      1,
      `No Corridor is ready at ${nowhere}. Start one with "npm start", in another terminal, or set PUBLIC_URL to the address of one.\n`,
    ]);
    const keyless = await trigger('completed', '--agent-key', 'rk_live_nobody');
    expect([keyless.exit, keyless.stderr]).toEqual([1, expect.stringContaining('answered 403')]);
    const real = await startCorridor({ env: { SANDBOX: 'false', CHAIN_TRX_RPC_URL: 'http://127.0.0.1:9' } });
    try {
      const process = started('trigger', ['completed'], { PUBLIC_URL: real.config.publicUrl });
      expect([await process.ended, process.stderr()]).toEqual([
        1,
        `The Corridor at ${real.config.publicUrl} is not a sandbox. Start one with SANDBOX=true.\n`,
      ]);
    } finally {
      await real.stop();
    }
  });
});
