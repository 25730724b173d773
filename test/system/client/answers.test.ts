import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { RESPONSES } from '../../../client/generate/contract.ts';
import { createAgentClient, createLpClient } from '../../../client/src/index.ts';
import type { ApiDeps } from '../../../src/api/deps.ts';
import { allRoutes } from '../../../src/api/routes.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { clientFolderForFile, TSC } from '../../support/client-package.ts';

const run = promisify(execFile);

const folder = clientFolderForFile();

type Method = (...values: unknown[]) => unknown;
/** These call several routes, or one of them many times. */
const NO_SINGLE_CALL = ['waitFor', 'orders', 'allWebhookDeliveries', 'orderFeed'];
/** Only the routes' declarations are used, so the handlers need no dependencies. */
const routes = allRoutes({ settings: loadConfig({}) } as unknown as ApiDeps);

/** Calls a method of a client, and returns the method and the path of its request. */
async function requestOf(type: 'AgentClient' | 'LpClient', name: string): Promise<[string, string]> {
  const sent: [string, string][] = [];
  const fetch = async (url: unknown, { method }: RequestInit = {}) => {
    sent.push([String(method), new URL(String(url)).pathname]);
    return new Response('{}');
  };
  const options = { baseUrl: 'https://pay.example', key: 'key', fetch: fetch as typeof globalThis.fetch };
  const client = type === 'AgentClient' ? createAgentClient(options) : createLpClient(options);
  await (client as unknown as Record<string, Method>)[name]?.({}, {});
  const [request] = sent;
  if (!request || sent.length > 1) throw new Error(`${type}.${name} has sent ${sent.length} requests`);
  return request;
}

/** Returns the client's name of the type that the route of a request returns: one for each successful status. */
function answerTypeOf([method, path]: [string, string]): string {
  const route = routes.find(
    (route) =>
      route.method === method.toLowerCase() &&
      new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(path),
  );
  const names = Object.values(route?.answers ?? {}).map((schema) => {
    const [name] = Object.entries(RESPONSES).find(([, exported]) => exported === schema) ?? [];
    if (name === undefined) throw new Error(`${method} ${path}: the client exports no type of its response`);
    return name;
  });
  return names.join(' | ');
}

test('every method of the clients returns the type of its route’s response', async () => {
  const options = { baseUrl: 'https://pay.example', key: 'key' };
  const clients = { AgentClient: createAgentClient(options), LpClient: createLpClient(options) };
  const checks: string[] = [];
  for (const type of ['AgentClient', 'LpClient'] as const)
    for (const name of Object.keys(clients[type]).filter((name) => !NO_SINGLE_CALL.includes(name))) {
      const answer = answerTypeOf(await requestOf(type, name));
      checks.push(`type ${type}_${name} = Is<Same<Answer<c.${type}['${name}']>, ${answer}>>;`);
    }
  expect(checks.length).toBeGreaterThan(30);

  // An optional field that one of the types lacks makes a difference to `Same`, but not to an assignment.
  const program = `import type * as c from 'corridor-client';
    import type { ${Object.keys(RESPONSES).join(', ')} } from 'corridor-client';
    type Answer<Method extends (...values: never[]) => unknown> = Awaited<ReturnType<Method>>;
    type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
    type Is<True extends true> = True;
    ${checks.join('\n    ')}`;
  const compile = async (text: string) => {
    const file = join(folder, 'answers.mts');
    writeFileSync(file, text);
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2024,dom', '--types', ''];
    const failed = (error: { stdout: string }) => error;
    const { stdout } = await run(TSC, [...flags, file], { cwd: folder }).catch(failed);
    return stdout;
  };
  expect(await compile(program)).toBe('');
  const withoutTime = program.replace(', AssetAnswer>', ', Done>');
  expect(await compile(withoutTime)).toContain(`'false' does not satisfy the constraint 'true'`);
});
