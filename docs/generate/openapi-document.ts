import { allRoutes } from '../../src/api/app.ts';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { RouteRequest } from '../../src/api/route.ts';
import { loadConfig } from '../../src/config.ts';
import type { Document } from './openapi-changes.ts';

/** The OpenAPI document of a sandbox with the settings' defaults, as it gives it out itself. */
export async function openApiDocument(): Promise<Document> {
  const { publicUrl, sandbox, ...config } = loadConfig({});
  const settings = { ...config, publicUrl, sandbox, allowHttpCallbacks: true };
  // What a route does is not asked, and so needs nothing: only what it says of itself.
  const routes = allRoutes({ settings } as unknown as ApiDeps);
  const self = routes.find(({ path }) => path === '/openapi.json');
  const reply = await self?.handle({} as RouteRequest<'none', unknown>);
  if (!reply || !('body' in reply)) throw new Error('there is no document of the routes');
  return JSON.parse(JSON.stringify(reply.body));
}
