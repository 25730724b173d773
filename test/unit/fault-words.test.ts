import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { faultWords } from '../../src/api/pipeline/fault-words.ts';

const wordsFor = (schema: z.ZodType, value: unknown): string[] =>
  schema.safeParse(value, { error: faultWords }).error?.issues.map(({ message }) => message) ?? [];

test.each<[z.ZodType, unknown, string]>([
  [z.string(), undefined, 'is required'],
  [z.string(), 5, 'must be a text'],
  [z.number(), '5', 'must be a number'],
  [z.number().int(), 1.5, 'must be a whole number'],
  [z.boolean(), 'yes', 'must be true or false'],
  [z.array(z.string()), 'a', 'must be a list'],
  [z.object({}), [], 'must be an object'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.enum(['a', 'b']), undefined, 'is required: one of a, b'],
  [z.literal('true'), 'yes', 'must be true'],
  [z.url(), 'nowhere', 'must be a URL'],
  [z.iso.date(), 'soon', 'must be of the documented form'],
  [z.number().max(2), 9, 'must be at most 2'],
  [z.number().positive(), 0, 'must be more than 0'],
  [z.string().min(1), '', 'must have at least 1 character'],
  [z.string().max(3), 'long', 'must have at most 3 characters'],
  [z.array(z.string()).max(1), ['a', 'b'], 'must have at most 1 entry'],
  [z.date().min(new Date('1970-01-01')), new Date('1969-01-01'), 'must be at least 1970-01-01T00:00:00.000Z'],
  [z.number().multipleOf(5), 7, 'must be a multiple of 5'],
  [z.strictObject({}), { b: 1, c: 2 }, 'b, c: no such field'],
  [z.string('must be an id'), 5, 'must be an id'],
])('%# has plain words', (schema, value, words) => expect(wordsFor(schema, value)).toEqual([words]));
