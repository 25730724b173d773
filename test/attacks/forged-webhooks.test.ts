import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../../client/src/index.ts';
import { checkSignatures } from '../../companion/signature-checks.ts';
import { expectStatus } from '../../dev/http-client.ts';
import { signatureHeaders } from '../../src/adapters/webhook-signature.ts';
import { resealAgentSecrets } from '../../src/notify/webhooks/agent-secret.ts';
import { WEBHOOK_SECRET } from '../support/corridor.ts';
import { COMMAND_SECRET } from '../support/environment.ts';
import { eventually } from '../support/eventually.ts';
import type { Agent } from '../support/parties.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Agent B knows the secret that the operator shares with every integrator, and forges webhooks to agent A. */

const corridor = await useCorridor();
const [a, b] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp();

interface Received {
  body: string;
  headers: IncomingHttpHeaders;
}

const received: Received[] = [];
const receiver = createServer(async (request, response) => {
  received.push({ body: await text(request), headers: request.headers });
  response.end();
});

await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

/** The genuine webhook of a claim. */
async function webhookTo(agent: Agent): Promise<Received> {
  const id = await agent.newOrder({ callback_url: url });
  await expectStatus(200, lp.claim(id));
  return eventually(async () => received.find(({ body }) => JSON.parse(body).order_id === id));
}

/** What the receivers of an agent say who follow the documentation: the client, and the library of the standard. */
function verdicts({ body, headers }: Received, secret: string): boolean[] {
  const isAccepted = (verify: () => unknown): boolean => {
    try {
      verify();
      return true;
    } catch {
      return false;
    }
  };
  return [
    isAccepted(() => verifyWebhook({ secret, body, headers })),
    isAccepted(() => new Webhook(secret).verify(body, headers as Record<string, string>)),
  ];
}
const [ACCEPTED, REFUSED] = [
  [true, true],
  [false, false],
];

const rotate = (agent: Agent, overlap: unknown) =>
  corridor.admin('POST', `/api/admin/agent-keys/${agent.keyId}/rotate-webhook-secret`, { overlap });

test('a genuine webhook verifies with the agent’s own secret, and still with the shared one', async () => {
  const webhook = await webhookTo(a);
  expect(verdicts(webhook, a.webhookSecret)).toEqual(ACCEPTED);
  expect(verdicts(webhook, `whsec_${Buffer.from(WEBHOOK_SECRET).toString('base64')}`)).toEqual(ACCEPTED);
  expect(verdicts(webhook, b.webhookSecret)).toEqual(REFUSED);
  const checks = checkSignatures(
    { shared: WEBHOOK_SECRET, own: a.webhookSecret },
    Buffer.from(webhook.body),
    webhook.headers,
  );
  expect(checks).toEqual(
    ['X-Service-Signature', 'Standard Webhooks', 'own secret'].map((kind) => ({ kind, wrong: null })),
  );
});

describe('a webhook that B forges to A is refused by A’s own secret', () => {
  let genuine: Received;
  let ofB: Received;
  let forgedBody: string;
  beforeAll(async () => {
    [genuine, ofB] = [await webhookTo(a), await webhookTo(b)];
    forgedBody = JSON.stringify({ ...JSON.parse(genuine.body), status: 'completed' });
  });
  const signed = (secret: string, others: string[] = []): IncomingHttpHeaders =>
    signatureHeaders(secret, { deliveryId: 1, body: forgedBody, at: new Date() }, others);
  const without = (headers: IncomingHttpHeaders, start: string) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !name.startsWith(start)));

  test.each<[string, () => Received]>([
    ['with the shared secret', () => ({ body: forgedBody, headers: signed(WEBHOOK_SECRET) })],
    [
      'with the shared secret and B’s own',
      () => ({ body: forgedBody, headers: signed(WEBHOOK_SECRET, [b.webhookSecret]) }),
    ],
    [
      'without the standard’s headers',
      () => ({ body: forgedBody, headers: without(signed(WEBHOOK_SECRET), 'webhook-') }),
    ],
    [
      'with one of the standard’s headers missing',
      () => ({ body: forgedBody, headers: without(signed(WEBHOOK_SECRET), 'webhook-timestamp') }),
    ],
    [
      'with a genuine webhook’s signatures beside its own',
      () => {
        const headers = signed(WEBHOOK_SECRET);
        const both = `${genuine.headers['webhook-signature']} ${headers['webhook-signature']}`;
        return { body: forgedBody, headers: { ...headers, 'webhook-signature': both } };
      },
    ],
    ['with a genuine webhook’s headers', () => ({ body: forgedBody, headers: genuine.headers })],
    ['which is a genuine webhook to B', () => ofB],
    [
      'with an empty signature',
      () => ({ body: forgedBody, headers: { ...signed(WEBHOOK_SECRET), 'webhook-signature': 'v1, v1,' } }),
    ],
  ])('%s', (_, forge) => {
    expect(verdicts(forge(), a.webhookSecret)).toEqual(REFUSED);
  });

  test('while a receiver that verifies with the shared secret accepts it', () => {
    const shared = `whsec_${Buffer.from(WEBHOOK_SECRET).toString('base64')}`;
    expect(verdicts({ body: forgedBody, headers: signed(WEBHOOK_SECRET) }, shared)).toEqual(ACCEPTED);
  });
});

describe('a new webhook secret', () => {
  test('signs beside the old one during the overlap, and alone without one', async () => {
    const agent = await corridor.newAgent();
    const { webhook_secret: second, ...body } = await expectStatus(201, rotate(agent, '1h'));
    expect(second).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Date.parse(body.old_secret_expires_at) - Date.now()).toBeGreaterThan(3_500_000);
    const during = await webhookTo(agent);
    for (const secret of [agent.webhookSecret, second]) expect(verdicts(during, secret)).toEqual(ACCEPTED);
    const { webhook_secret: third } = await expectStatus(201, rotate(agent, 0));
    const after = await webhookTo(agent);
    expect([agent.webhookSecret, second, third].map((secret) => verdicts(after, secret))).toEqual([
      REFUSED,
      REFUSED,
      ACCEPTED,
    ]);
  });

  test('is not given to a key that is deactivated or unknown, and changes no other agent’s', async () => {
    const agent = await corridor.newAgent();
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
    expect((await rotate(agent, 0)).status).toBe(409);
    expect((await rotate({ ...agent, keyId: 999_999 }, 0)).status).toBe(404);
    expect(verdicts(await webhookTo(a), a.webhookSecret)).toEqual(ACCEPTED);
  });

  test.each(['soon', '366d', -1, null])('with the overlap %p is refused', async (overlap) => {
    expect((await rotate(a, overlap)).status).toBe(400);
  });

  test('is in the audit, without the secret', async () => {
    const agent = await corridor.newAgent();
    const { webhook_secret } = await expectStatus(201, rotate(agent, 0));
    const path = `/api/admin/audit?object=agent_key:${agent.keyId}`;
    const { events } = await expectStatus(200, corridor.admin('GET', path));
    expect(events[0]).toMatchObject({
      actor: 'admin:root',
      action: 'POST /api/admin/agent-keys/:id/rotate-webhook-secret',
      after: { secret: '…' },
    });
    expect(JSON.stringify(events)).not.toContain(webhook_secret);
  });
});

describe('the stored secrets', () => {
  const sealed = async (agent: Agent) => {
    const sql = 'select secret from agent_webhook_secret where agent_key_id = $1';
    return (await corridor.db.query<{ secret: Buffer }>('t-sealed', sql, [agent.keyId]))[0]?.secret.toString(
      'hex',
    );
  };

  test('of B, copied into the row of A, sign nothing', async () => {
    const victim = await corridor.newAgent();
    const sql = `update agent_webhook_secret set secret = (select secret from agent_webhook_secret where agent_key_id = $2)
      where agent_key_id = $1`;
    await corridor.db.query('t-copy', sql, [victim.keyId, b.keyId]);
    const webhook = await webhookTo(victim);
    expect(verdicts(webhook, b.webhookSecret)).toEqual(REFUSED);
    expect(verdicts(webhook, victim.webhookSecret)).toEqual(REFUSED);
  });

  test('are encrypted again under a new command secret, and stay the same', async () => {
    const agent = await corridor.newAgent();
    const before = await sealed(agent);
    await resealAgentSecrets(corridor.db, { commandSecret: COMMAND_SECRET });
    await resealAgentSecrets(corridor.db, { commandSecret: COMMAND_SECRET, secondCommandSecret: 'next' });
    expect(await sealed(agent)).toBe(before);
    await resealAgentSecrets(corridor.db, { commandSecret: 'next', secondCommandSecret: COMMAND_SECRET });
    const during = await sealed(agent);
    expect(during).not.toBe(before);
    await resealAgentSecrets(corridor.db, { commandSecret: COMMAND_SECRET, secondCommandSecret: 'next' });
    expect(await sealed(agent)).not.toBe(during);
    expect(verdicts(await webhookTo(agent), agent.webhookSecret)).toEqual(ACCEPTED);
  });
});
