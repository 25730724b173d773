import { expect, test } from '@jest/globals';
import { initialSchema, schemaHash } from '../../src/db/initial-schema.ts';

test('the hash of the schema depends on its statements, and not on comments or layout', () => {
  const files = initialSchema();
  const [first = '', ...others] = files;
  const hash = schemaHash(files);
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(schemaHash([`-- A comment.\n\n${first.replaceAll('\n', '\n  ')}`, ...others])).toBe(hash);
  expect(schemaHash([first.replace('not null', 'null'), ...others])).not.toBe(hash);
  expect(schemaHash(files.slice(1))).not.toBe(hash);
});
