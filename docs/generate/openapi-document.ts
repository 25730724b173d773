import type { ApiDeps } from '../../src/api/deps.ts';
import type { RouteRequest } from '../../src/api/route.ts';
import { allRoutes } from '../../src/api/routes.ts';
import { loadConfig } from '../../src/settings/config.ts';
import type { Document } from './openapi-changes.ts';

/** The OpenAPI document that a sandbox with default settings serves. */
export async function openApiDocument(): Promise<Document> {
  const settings = loadConfig({});
  // Only the routes' descriptions are used, so the handlers need no dependencies.
  const routes = allRoutes({ settings } as unknown as ApiDeps);
  const self = routes.find(({ path }) => path === '/openapi.json');
  const reply = await self?.handle({} as RouteRequest<'none', unknown>);
  if (!reply || !('body' in reply)) throw new Error('GET /openapi.json is missing or returned no body');
  return JSON.parse(JSON.stringify(reply.body));
}
