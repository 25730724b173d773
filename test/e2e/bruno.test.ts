import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bruToEnvJsonV2 } from '@usebruno/lang';
import { caller, expectStatus } from '../../demo/http.ts';
import { brunoCollection } from '../../docs/generate/bruno-collection.ts';
import { openApiDocument } from '../../docs/generate/openapi-document.ts';
import { readCollection, runRequest } from '../support/bruno.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';

const FOLDER = fileURLToPath(new URL('../../docs/bruno/', import.meta.url));

test('docs/bruno is what npm run docs:bruno writes', async () => {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const committed = files.map(({ parentPath, name }) => {
    const path = `${parentPath}/${name}`.replaceAll('//', '/');
    return [path.slice(FOLDER.length), readFileSync(path, 'utf8')];
  });
  expect(Object.fromEntries(committed)).toEqual(brunoCollection(await openApiDocument()));
});

describe('the collection, read by Bruno’s own parser and run on a real Corridor', () => {
  let corridor: TestCorridor;
  const variables = new Map<string, unknown>();
  beforeAll(async () => {
    corridor = await startCorridor({ env: { LP_AUTO_APPROVE: 'false' } });
    const { variables: given } = bruToEnvJsonV2(readFileSync(`${FOLDER}environments/local.bru`, 'utf8'));
    for (const { name, value } of given) variables.set(name, value);
    const secrets = given.filter(({ secret }) => secret).map(({ name }) => name);
    expect(secrets).toEqual(['adminKey', 'agentKey', 'lpKey', 'receiptKey']);
    variables.set('baseUrl', corridor.config.publicUrl);
    variables.set('adminKey', ADMIN_KEY);
    variables.set('receiptKey', '00');
  });
  afterAll(() => corridor.stop());
  const run = (folder: RegExp) =>
    readCollection(FOLDER)
      .filter(({ file }) => folder.test(file))
      .map(
        (request) => async () =>
          runRequest(request, variables, (key) => caller(corridor.config.publicUrl, key)),
      );

  test('walks from a key to a completed order', async () => {
    for (const step of run(/^0 /)) expect(await step()).toEqual([]);
    const status = async () => {
      const path = `/api/v1/status/${variables.get('orderId')}`;
      return (await expectStatus(200, corridor.as(String(variables.get('agentKey')))('GET', path))).status;
    };
    await eventuallyEquals(status, 'completed');
  });

  test('and every route answers as its document says', async () => {
    const requests = run(/^[^0]/);
    const routes = Object.values((await openApiDocument()).paths).flatMap((methods) => Object.keys(methods));
    expect(requests).toHaveLength(routes.length);
    const wrong: string[] = [];
    for (const request of requests) wrong.push(...(await request()));
    expect(wrong).toEqual([]);
  });
});
