import { expect, test } from '@jest/globals';
import { openApiDocument } from '../../docs/generate/openapi-document.ts';
import type { Schema } from '../../docs/generate/schema-changes.ts';

/** A property of a request: where it is, and the description that a reader sees. */
interface Property {
  at: string;
  description: string;
}

const MOST_WORDS = 25;
const properties = await requestProperties();

test('every request property has a description', () => {
  expect(properties.length).toBeGreaterThan(150);
  expect(properties.filter(({ description }) => description === '').map(({ at }) => at)).toEqual([]);
});

test('the description of a route has at most 25 words, and the guide has the rest', async () => {
  const { paths } = await openApiDocument();
  const long = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { description = '' }]) => description.split(/\s+/).length > MOST_WORDS)
      .map(([method, { description }]) => `${method.toUpperCase()} ${path}: ${description}`),
  );
  expect(long).toEqual([]);
});

test('a description consists of whole sentences', () => {
  const broken = properties.filter(
    ({ description }) => /undefined|NaN|\[object/.test(description) || !/^[A-Z`].*[.]$/.test(description),
  );
  expect(broken).toEqual([]);
});

/** Parameters and body fields of every route, including those inside objects and lists. */
async function requestProperties(): Promise<Property[]> {
  const { paths } = await openApiDocument();
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, { parameters = [], requestBody }]) => {
      const route = `${method.toUpperCase()} ${path}`;
      return [
        ...parameters.map(({ in: place, name, description = '' }) => ({
          at: `${route} ${place} ${name}`,
          description,
        })),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          schema ? fieldsOf(schema, `${route} body`) : [],
        ),
      ];
    }),
  );
}

function fieldsOf(schema: Schema, at: string): Property[] {
  const inside = [
    schema.items,
    schema.additionalProperties,
    ...(schema.anyOf ?? []),
    ...(schema.oneOf ?? []),
  ];
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
      { at: `${at}.${name}`, description: String(field.description ?? '') },
      ...fieldsOf(field, `${at}.${name}`),
    ]),
    ...inside.flatMap((part) => (typeof part === 'object' ? fieldsOf(part, at) : [])),
  ];
}
