import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createCaller, expectStatus } from '../../../dev/http-client.ts';
import { startOwnCorridor } from '../../../dev/own-corridor.ts';
import { runProgram } from '../../../dev/program.ts';
import { startWebhookReceiver } from '../../../dev/webhook-receiver.ts';
import { loadSecrets } from '../../../src/settings/secrets.ts';
import { createDisguise } from './disguise.ts';
import { keepAlike } from './keep.ts';
import { Recorder } from './recorder.ts';
import { walkRoutes } from './walk.ts';
import { walkApprovals } from './walk-admin.ts';

const TEMPORAL_UI = 'http://localhost:8233';
const FILE = new URL('../../../src/api/openapi-examples.json', import.meta.url);

/**
 * Starts a Corridor, calls every route, and writes the responses as the examples of the OpenAPI document. Examples whose fields
 * have not changed stay as they are, unless it is called with `--all`.
 */
await runProgram('The examples were not recorded', async ({ narrate, print, cleanup }) => {
  narrate('Corridor starts.');
  const resolver = await startResolver();
  cleanup.add(resolver.close);
  const settings = {
    RECIPIENT_RESOLVER_URL: resolver.url,
    RECIPIENT_RESOLVER_SECRET: randomBytes(24).toString('hex'),
  };
  const { config } = await startOwnCorridor({ settings, progress: print, cleanup });
  const { adminApiKey, webhookSecret } = await loadSecrets(config);
  const receiver = await startWebhookReceiver(
    webhookSecret,
    () => 200,
    () => 'Noted',
  );
  cleanup.add(receiver.close);

  const disguise = createDisguise({
    [config.publicUrl]: 'http://localhost:8080',
    [`http://127.0.0.1:${config.temporalUiPort}`]: TEMPORAL_UI,
    [new URL(receiver.url).origin]: 'https://shop.example',
  });
  const document = await expectStatus(200, createCaller(config.publicUrl)('GET', '/openapi.json'));
  const recorder = new Recorder(document, disguise);
  narrate('The recorder calls every route.');
  await walkRoutes({
    caller: (key) => recorder.recording(createCaller(config.publicUrl, key)),
    unrecorded: (key) => createCaller(config.publicUrl, key),
    adminKey: adminApiKey,
    callbackUrl: receiver.url,
    print,
  });

  narrate('Corridor starts again, with APPROVALS=on.');
  const strict = await startOwnCorridor({ settings: { APPROVALS: 'on' }, progress: print, cleanup });
  const { adminApiKey: strictKey } = await loadSecrets(strict.config);
  await walkApprovals({
    admin: recorder.recording(createCaller(strict.config.publicUrl, strictKey)),
    as: (key) => recorder.recording(createCaller(strict.config.publicUrl, key)),
  });

  const committed = process.argv.includes('--all') ? {} : JSON.parse(readFileSync(FILE, 'utf8'));
  const lines = Object.entries(keepAlike(committed, recorder.examples())).map(
    ([key, example]) => `${JSON.stringify(key)}: ${JSON.stringify(example)}`,
  );
  writeFileSync(FILE, `{\n${lines.join(',\n')}\n}\n`);
  print(`${lines.length} examples in src/api/openapi-examples.json; now run "npm run docs:openapi"`);
});

/** The operator's resolver, which knows one name for every recipient. */
async function startResolver(): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((_, response) => response.end('{"name": "Jane Njeri Wanjiku"}'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
