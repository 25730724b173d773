import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { openApiDocument } from '../../docs/generate/openapi-document.ts';

/** Responses without an example: their bytes are the file. */
const EXEMPT = [
  'GET /api/admin/exports/orders.csv 200 text/csv',
  'GET /api/admin/exports/ledger.csv 200 text/csv',
  'GET /api/admin/exports/ledger.journal 200 text/plain',
  ...['history', 'statement'].flatMap((kind) => [
    `GET /api/admin/exports/${kind}.csv 200 text/csv`,
    `GET /api/lp/{lp_key}/exports/${kind}.csv 200 text/csv`,
  ]),
  ...['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'application/pdf', 'image/heic'].map(
    (type) => `GET /api/receipts/{receipt_key} 200 ${type}`,
  ),
];

interface SuccessResponse {
  /** As in src/api/openapi-examples.json. */
  key: string;
  mediaType: string;
  description: string | undefined;
  schema: object | undefined;
  example: unknown;
}

const document = await openApiDocument();
const responses = successResponses();

test('every successful response has an example; if not, add a step to docs/generate/examples and run "npm run docs:examples"', () => {
  expect(responses.length).toBeGreaterThan(60);
  const without = responses.filter(({ example }) => example === undefined);
  expect(without.map(({ key, mediaType }) => `${key} ${mediaType}`)).toEqual(EXEMPT);
  for (const { description } of without) expect(description).toContain('the bytes of the file');
});

test('every example matches the schema of its response; if not, run "npm run docs:examples"', () => {
  const ajv = addFormats.default(
    new Ajv2020.default({ strict: true, allErrors: true, allowUnionTypes: true }),
  );
  ajv.addKeyword('components');
  const faults = responses.flatMap(({ key, schema, example }) => {
    const validate = ajv.compile({ ...schema, components: document.components });
    return example === undefined || validate(example) ? [] : [`${key}: ${ajv.errorsText(validate.errors)}`];
  });
  expect(faults).toEqual([]);
});

test('every recorded example belongs to a response', () => {
  const recorded = JSON.parse(
    readFileSync(new URL('../../src/api/openapi-examples.json', import.meta.url), 'utf8'),
  );
  const keys = new Set(responses.map(({ key }) => key));
  expect(Object.keys(recorded).filter((key) => !keys.has(key))).toEqual([]);
});

test('examples contain no secret, local address or path of the machine that recorded them', () => {
  const text = JSON.stringify(responses.map(({ example }) => example));
  const secrets = text.match(/[0-9a-f]{24,}/g) ?? [];
  expect(secrets.filter((secret) => !/^0{12,}\d+$/.test(secret))).toEqual([]);
  const origins = [...text.matchAll(/https?:\/\/[^/"]+/g)].map(([origin]) => origin);
  expect([...new Set(origins)].sort()).toEqual([
    'http://localhost:8080',
    'http://localhost:8233',
    'https://lp.example',
    'https://shop.example',
  ]);
  expect(text).not.toMatch(/\/(?:home|tmp|work|Users)\//);
});

/** The 2xx responses of every media type. */
function successResponses(): SuccessResponse[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) =>
      Object.entries(operation.responses).flatMap(([status, { content = {}, description }]) =>
        status.startsWith('2')
          ? Object.entries(content).map(([mediaType, shape]) => ({
              key: `${method.toUpperCase()} ${path} ${status}`,
              ...{ mediaType, description, example: shape.example, schema: shape.schema },
            }))
          : [],
      ),
    ),
  );
}
