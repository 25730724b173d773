import { readFileSync } from 'node:fs';
import type { RouteContract } from './route-contract.ts';

/** Responses of a real run, by route and status. `npm run docs:examples` records them. */
const EXAMPLES: Record<string, unknown> = JSON.parse(
  readFileSync(new URL('./openapi-examples.json', import.meta.url), 'utf8'),
);

/** The recorded response of a route with a status; undefined: none was recorded. */
export const exampleOf = (
  { method, path }: Pick<RouteContract, 'method' | 'path'>,
  status: string,
): unknown => EXAMPLES[`${method.toUpperCase()} ${path.replace(/:(\w+)/g, '{$1}')} ${status}`];
