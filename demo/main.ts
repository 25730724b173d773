import { loadConfig } from '../src/config.ts';
import { loadSecrets } from '../src/secrets.ts';
import { completedStory } from './completed-story.ts';
import { caller } from './http.ts';
import type { Stage } from './stage.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** Tells the story of one order against a running Corridor, line by line. */
const config = loadConfig(process.env);
const secrets = await loadSecrets(config);
const api = caller(config.publicUrl);
const uiUrl = config.temporalUiUrl ?? `http://127.0.0.1:${config.temporalUiPort}`;

const health = await api('GET', '/readyz').catch(() => undefined);
if (health?.status !== 200) {
  console.error(
    `No Corridor is ready at ${config.publicUrl}. Start one with "npm start", in another terminal.`,
  );
  process.exit(1);
}

const receiver = await startWebhookReceiver(secrets.webhookSecret);
const stage: Stage = {
  baseUrl: config.publicUrl,
  adminKey: secrets.adminApiKey,
  receiver,
  tell: (line) => console.log(line),
  workflowUrl: (orderId) => `${uiUrl}/namespaces/${config.temporalNamespace}/workflows/order-${orderId}`,
};
try {
  await completedStory(stage);
} catch (error) {
  console.error(`The demo failed: ${(error as Error).message}`);
  process.exitCode = 1;
} finally {
  await receiver.close();
}
