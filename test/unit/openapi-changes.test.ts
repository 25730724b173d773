import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { breakingChanges, type Document } from '../../docs/generate/openapi-changes.ts';
import { openApiDocument } from '../../docs/generate/openapi-document.ts';
import type { Schema } from '../../docs/generate/schema-changes.ts';

const file = new URL('../../docs/openapi.json', import.meta.url);
const released: Document = JSON.parse(readFileSync(file, 'utf8'));

test('the document of the routes does not break docs/openapi.json', async () => {
  expect(Object.keys(released.paths).length).toBeGreaterThan(50);
  expect(breakingChanges(released, await openApiDocument())).toEqual([]);
});

test('docs/openapi.json has all that the routes have; if not, run "npm run docs:openapi"', async () => {
  expect(released).toEqual(JSON.parse(JSON.stringify(await openApiDocument())));
});

const json = (schema: Schema) => ({ 'application/json': { schema } });
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  required,
});
const request = (schema: Schema) => documentWith({ requestBody: { required: true, content: json(schema) } });
const answer = (schema: Schema) => documentWith({ responses: { 200: { content: json(schema) } } });
const documentWith = (operation: object): Document => ({
  paths: { '/pay': { post: { responses: {}, ...operation } } },
  components: { schemas: { Error: object({ error: { type: 'string' } }, ['error']) } },
});
const both = (make: (schema: Schema) => Document, before: Schema, after: Schema) =>
  breakingChanges(make(before), make(after));

const text: Schema = { type: 'string' };
const statuses = (...values: string[]): Schema => ({ type: 'string', enum: values });

describe('a change breaks clients', () => {
  const before = documentWith({ responses: { 200: {}, 404: {} } });

  test.each<[string, Document, string]>([
    ['when a route is removed', { paths: {} }, 'POST /pay is gone'],
    ['when a method is removed', { paths: { '/pay': {} } }, 'POST /pay is gone'],
    ['when a status is removed', documentWith({ responses: { 200: {} } }), 'POST /pay no longer returns 404'],
    [
      'when a body is needed',
      documentWith({ responses: { 200: {}, 404: {} }, requestBody: { required: true, content: json(text) } }),
      'POST /pay now requires a body',
    ],
    [
      'when a parameter is new and required',
      documentWith({
        responses: { 200: {}, 404: {} },
        parameters: [{ name: 'page', in: 'query', required: true, schema: text }],
      }),
      'POST /pay, query parameter page is new and required',
    ],
    [
      'when it needs a key',
      documentWith({ responses: { 200: {}, 404: {} }, security: [{ agentKey: [] }] }),
      'POST /pay no longer accepts requests without a key',
    ],
  ])('%s', (_, after, reported) => {
    expect(breakingChanges(before, after)).toEqual([reported]);
  });

  test.each<[string, Schema, Schema, string]>([
    ['with a new required field', object({}), object({ a: text }, ['a']), 'body.a is now required'],
    [
      'with a field that is required',
      object({ a: text }),
      object({ a: text }, ['a']),
      'body.a is now required',
    ],
    ['with a field that is gone', object({ a: text }), object({}), 'body.a is no longer accepted'],
    ['with a narrower enumeration', statuses('a', 'b'), statuses('a'), 'body no longer accepts "b"'],
    ['with an enumeration', text, statuses('a'), 'body now accepts only ["a"]'],
    ['without a type', { type: ['string', 'null'] }, text, 'body no longer accepts null'],
    ['with another type', text, { type: 'number' }, 'body no longer accepts string'],
    [
      'with an integer for a number',
      { type: 'number' },
      { type: 'integer' },
      'body no longer accepts number',
    ],
    [
      'with a lower maximum',
      { type: 'number', maximum: 9 },
      { type: 'number', maximum: 8 },
      'body has a tighter maximum: 8',
    ],
    [
      'with a higher minimum',
      { type: 'number', minimum: 1 },
      { type: 'number', minimum: 2 },
      'body has a tighter minimum: 2',
    ],
    ['with a new limit', text, { ...text, maxLength: 5 }, 'body has a tighter maxLength: 5'],
    [
      'with another pattern',
      { ...text, pattern: 'a' },
      { ...text, pattern: 'b' },
      'body has a different pattern: b',
    ],
    [
      'within a list',
      { type: 'array', items: statuses('a', 'b') },
      { type: 'array', items: statuses('a') },
      'body[] no longer accepts "b"',
    ],
    [
      'without a variant',
      { anyOf: [text, { type: 'number' }] },
      { anyOf: [text, { type: 'boolean' }] },
      'body no longer accepts "number"',
    ],
  ])('of a request %s', (_, was, is, difference) => {
    expect(both(request, was, is)).toEqual([`POST /pay, ${difference}`]);
  });

  test.each<[string, Schema, Schema, string]>([
    ['whose field is gone', object({ a: text }, ['a']), object({}), '.a is gone'],
    ['whose field may be missing', object({ a: text }, ['a']), object({ a: text }), '.a may now be missing'],
    ['that may be null', text, { type: ['string', 'null'] }, ' may now be null'],
    ['that may be any value', statuses('a'), text, ' may now be any value'],
    ['in a nested field', object({ a: object({ b: text }) }), object({ a: object({}) }), '.a.b is gone'],
    ['with another variant', text, { anyOf: [text, { type: 'null' }] }, ' may now be "null"'],
    ['in a referenced schema', { $ref: '#/components/schemas/Error' }, object({}), '.error is gone'],
  ])('of a response %s', (_, was, is, difference) => {
    expect(both(answer, was, is)).toEqual([`POST /pay 200${difference}`]);
  });

  test('of a webhook, as of a response', () => {
    const webhook = (schema: Schema): Document => ({
      paths: {},
      webhooks: { changed: { post: { responses: {}, requestBody: { content: json(schema) } } } },
    });
    expect(both(webhook, object({ a: text }), object({}))).toEqual(['webhook POST changed.a is gone']);
  });
});

describe('a change adds', () => {
  test.each<[string, (schema: Schema) => Document, Schema, Schema]>([
    ['an optional field of a request', request, object({}), object({ a: text })],
    ['a value that a request may have', request, statuses('a'), statuses('a', 'b')],
    ['a type that a request may have', request, { type: 'integer' }, { type: ['number', 'null'] }],
    ['a wider limit of a request', request, { ...text, maxLength: 5 }, { ...text, maxLength: 6 }],
    ['a variant to a request', request, text, { anyOf: [text, { type: 'null' }] }],
    ['a field of a response', answer, object({}), object({ a: text }, ['a'])],
    ['a status to an enumeration', answer, statuses('a'), statuses('a', 'b')],
    ['a narrower type of a response', answer, { type: ['string', 'null'] }, text],
  ])('%s', (_, make, was, is) => {
    expect(both(make, was, is)).toEqual([]);
  });

  test('routes, statuses and kinds of access', () => {
    const before = documentWith({ responses: { 200: {} }, security: [{ agentKey: [] }] });
    const after = documentWith({
      responses: { 200: {}, 404: {} },
      security: [{ agentKey: [] }, { lpKey: [] }],
    });
    after.paths['/new'] = { get: { responses: {} } };
    expect(breakingChanges(before, after)).toEqual([]);
  });
});
