import { randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { verifyWebhook } from '../../../client/src/index.ts';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { sandboxAddress } from '../../../dev/registration.ts';
import { openAgentSecrets, type SealedAgentSecrets } from '../../../src/notify/webhooks/agent-secret.ts';
import { openSecret } from '../../../src/notify/webhooks/sealed-secret.ts';
import { freePort } from '../../../src/process/free-port.ts';
import { roleUrl } from '../../../src/service/embedded/roles.ts';
import { newAgent, newLp } from '../../support/actors.ts';
import { testEnvironment } from '../../support/environment.ts';
import { eventually } from '../../support/eventually.ts';
import { lpReceiversForFile, turnOn, verified } from '../../support/lp-receiver.ts';
import { run, type TestProcess } from '../../support/processes.ts';
import { claim, confirm, fiatSent, settle } from '../../support/repeated-steps.ts';

const [OLD, NEW] = ['the-secret-that-was-there-before', 'the-secret-that-comes-after-it'];
const adminOf = (secret: string) => `admin_${secret}`;
const commandOf = (secret: string) => `command_${secret}`;

/** A step of `docs/operations.md`: the settings, and the secrets that are valid with them. */
const STEPS = [
  { first: OLD, standard: [OLD], own: [OLD], role: 'a' },
  { first: OLD, second: NEW, standard: [OLD, NEW], own: [OLD], role: 'a' },
  { first: NEW, second: OLD, standard: [OLD, NEW], own: [NEW], role: 'b' },
  { first: NEW, standard: [NEW], own: [NEW], role: 'b' },
] as const;
type Step = (typeof STEPS)[number];

const newLpReceiver = lpReceiversForFile();
const running: TestProcess[] = [];
const received: { body: Buffer; headers: IncomingHttpHeaders }[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ body: Buffer.concat(chunks), headers: request.headers });
    response.end();
  });
});
let database: pg.Client;
const name = `rotation_${randomBytes(4).toString('hex')}`;

/** Two roles with equal rights, because a role has only one password. */
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  database = new pg.Client({ connectionString: testEnvironment().adminUrl });
  await database.connect();
  for (const role of ['a', 'b'])
    await database.query(`create role ${name}_${role} login password '${role}' in role corridor_service`);
  await database.query(`create database ${name} owner corridor_owner`);
});
afterAll(async () => {
  for (const process of running) {
    process.kill('SIGTERM');
    await process.ended;
  }
  await database.end();
  receiver.closeAllConnections();
  await new Promise((resolve) => receiver.close(resolve));
});

const settingsOf = (step: Step, port: number): Record<string, string> => {
  const url = new URL(testEnvironment().adminUrl);
  url.pathname = name;
  const ownerUrl = roleUrl(url.href, 'owner');
  [url.username, url.password] = [`${name}_${step.role}`, step.role];
  return {
    NODE_ENV: 'production',
    SANDBOX: 'true',
    LP_AUTO_APPROVE: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    AUTH_FAILURE_LIMIT: '0',
    PORT: String(port),
    DATABASE_URL: url.href,
    DATABASE_OWNER_URL: ownerUrl,
    TEMPORAL_ADDRESS: testEnvironment().temporalAddress,
    TEMPORAL_NAMESPACE: name.replace('_', '-'),
    ADMIN_API_KEY: adminOf(step.first),
    WEBHOOK_SECRET: step.first,
    COMMAND_SECRET: commandOf(step.first),
    ...('second' in step
      ? {
          ADMIN_API_KEY_SECOND: adminOf(step.second),
          WEBHOOK_SECRET_SECOND: step.second,
          COMMAND_SECRET_SECOND: commandOf(step.second),
        }
      : {}),
  };
};

/** A secret as the database has it. */
async function sealedSecret(sql: string, id: number): Promise<Buffer> {
  const client = new pg.Client({ connectionString: settingsOf(STEPS[3], 0).DATABASE_URL });
  await client.connect();
  const { rows } = await client.query(sql, [id]).finally(() => client.end());
  return rows[0].secret;
}
const ofAgent = async (agentKeyId: number): Promise<SealedAgentSecrets> => {
  const sql = 'select secret from agent_webhook_secret where agent_key_id = $1';
  return { agentKeyId, secret: await sealedSecret(sql, agentKeyId), previous: null };
};
const isOpenedBy = async (sql: string, lpId: number, secret: string) =>
  openSecret(await sealedSecret(sql, lpId), { kind: 'lp', id: lpId }, secret) !== undefined;

/** Starts new processes, stops the old ones, and returns the API's address. */
async function roll(step: Step): Promise<string> {
  const port = await freePort();
  const settings = settingsOf(step, port);
  if (running.length === 0) expect(await run('src/main.ts', ['migrate'], settings).ended).toBe(0);
  const next = ['worker', 'api'].map((part) => run('src/main.ts', [part], settings));
  await Promise.all(next.map((process) => process.prints('is running')));
  for (const process of running.splice(0)) {
    process.kill('SIGTERM');
    expect(await process.ended).toBe(0);
  }
  running.push(...next);
  const baseUrl = `http://127.0.0.1:${port}`;
  await eventually(async () => (await createCaller(baseUrl)('GET', '/readyz')).status === 200);
  return baseUrl;
}

/** Returns which of the two secrets verify the webhook. */
function verifiedSigners(id: number, status: string, bySignature: (headers: IncomingHttpHeaders) => object) {
  const found = received.find(({ body }) => {
    const event = JSON.parse(body.toString());
    return event.order_id === id && event.status === status;
  });
  return (
    found &&
    [OLD, NEW].filter((secret) => {
      try {
        return verifyWebhook({
          secret,
          body: found.body,
          headers: bySignature(found.headers) as Record<string, string>,
        });
      } catch {
        return false;
      }
    })
  );
}
const standard = ({ 'x-service-signature': _, ...others }: IncomingHttpHeaders) => others;
const own = ({ 'x-service-signature': signature }: IncomingHttpHeaders) => ({
  'x-service-signature': signature,
});

test('an order completes through the rotation of admin key, webhook secret, command secret and database role, and each of its webhooks can be verified', async () => {
  const [first, second, third, fourth] = STEPS;
  const acceptedAdminKeys = async (baseUrl: string) => {
    const open = [OLD, NEW].map(async (secret) => {
      const { status } = await createCaller(baseUrl, adminOf(secret))('GET', '/api/admin/lps');
      return status === 200 ? [secret] : [];
    });
    return (await Promise.all(open)).flat();
  };
  const expectSigners = async (
    id: number,
    status: string,
    { standard: expected, own: expectedOwn }: Step,
  ) => {
    const seen = await eventually(async () => verifiedSigners(id, status, standard));
    expect([status, seen, verifiedSigners(id, status, own)]).toEqual([status, expected, expectedOwn]);
  };

  let at = await roll(first);
  expect(await acceptedAdminKeys(at)).toEqual([OLD]);
  const here = {
    admin: createCaller(at, adminOf(OLD)),
    anyone: createCaller(at),
    as: (key: string) => createCaller(at, key),
  };
  const [agent, lp] = [await newAgent(here), await newLp(here)];
  const callback_url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const body = {
    amount: 1_295,
    currency: 'KES',
    recipient: '+254700123456',
    user_id: agent.userId,
    callback_url,
  };
  const { order_id: id } = await expectStatus(201, agent.call('POST', '/api/v1/pay', body));
  await expectStatus(200, claim(lp, id));
  await expectSigners(id, 'claimed', first);
  // A thief has turned the webhooks of this LP off, and moves its address only after the rotation.
  const [robbed, lpReceiver] = [await newLp(here), await newLpReceiver()];
  const lpSecret = await turnOn(robbed, lpReceiver.url);
  await expectStatus(200, robbed.call('DELETE', `/api/lp/${robbed.key}/webhook`));

  at = await roll(second);
  expect(await acceptedAdminKeys(at)).toEqual([OLD, NEW]);
  await expectStatus(200, fiatSent({ call: createCaller(at, lp.key) }, id));
  await expectSigners(id, 'fiat_sent', second);

  at = await roll(third);
  expect(await acceptedAdminKeys(at)).toEqual([OLD, NEW]);
  // No process uses the old role now, so its password can change.
  await database.query(`alter role ${name}_a nologin`);
  await expectStatus(200, confirm({ call: createCaller(at, agent.key) }, id));
  await expectSigners(id, 'confirmed', third);

  // The workers encrypt the agents' and LPs' own secrets again.
  const commandSecret = commandOf(NEW);
  await eventually(async () => openAgentSecrets(await ofAgent(agent.keyId), { commandSecret }).length > 0);
  await eventually(() => isOpenedBy('select secret from former_lp_webhook where lp_id = $1', robbed.id, NEW));

  at = await roll(fourth);
  expect(await acceptedAdminKeys(at)).toEqual([NEW]);
  const tx_hash = `sandbox-paid-${id}`;
  await expectStatus(200, settle({ ...agent, call: createCaller(at, agent.key) }, id, tx_hash));
  await expectSigners(id, 'completed', fourth);
  for (const { body, headers } of received)
    expect(verifyWebhook({ secret: agent.webhookSecret, body, headers })).toMatchObject({ order_id: id });
  const address = { symbol: 'usdt', chain: 'trx', address: sandboxAddress() };
  const thief = createCaller(at, robbed.key);
  await expectStatus(201, thief('POST', `/api/lp/${robbed.key}/assets`, address));
  const warning = await eventually(async () =>
    lpReceiver.received.find(({ body }) => body.data.address === address.address),
  );
  verified(lpSecret, warning);
}, 600_000);
