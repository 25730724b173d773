import { StartupError } from '../src/process/startup-error.ts';
import { createCaller, expectStatus } from './http-client.ts';

/**
 * Throws a `StartupError` if the Corridor at `baseUrl` refuses payments with this `callback_url`. Creates nothing: it reads
 * the pattern of the URLs in that Corridor's own OpenAPI document.
 */
export async function requireWebhooksTo(url: string, baseUrl: string): Promise<void> {
  const { paths } = await expectStatus(200, createCaller(baseUrl)('GET', '/openapi.json'));
  const { schema } = paths['/api/v1/pay'].post.requestBody.content['application/json'];
  if (new RegExp(schema.properties.callback_url.pattern).test(url)) return;
  throw new StartupError(
    `The Corridor at ${baseUrl} sends no webhooks to ${url}, where this program waits for them. Start it with WEBHOOK_ALLOW_PRIVATE=true, or use one in development.`,
  );
}
