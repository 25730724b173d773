import { z } from 'zod';
import type { FileAnswer, TextAnswer } from './route-contract.ts';

/** The contents of requests and answers in the OpenAPI document. */

/** The JSON body of a request, with the first example of its schema. */
export function requestContent(body: z.ZodType) {
  const { examples: _, ...shape } = schema(body, 'input') as { examples?: unknown };
  // Reads the schema itself, because zod's JSON schema of a transforming type has no examples.
  const examples = body.meta()?.examples as unknown[] | undefined;
  return { 'application/json': { schema: shape, ...(examples ? { example: examples[0] } : {}) } };
}

/** An answer: files, or text or JSON with an example. */
export function contentOf(answer: z.ZodType | FileAnswer | TextAnswer, example: unknown): object {
  if ('mediaTypes' in answer) return Object.fromEntries(answer.mediaTypes.map((type) => [type, {}]));
  const shown = example === undefined ? {} : { example };
  if ('textType' in answer) return { [answer.textType]: { schema: { type: 'string' }, ...shown } };
  return { 'application/json': { schema: schema(answer, 'output'), ...shown } };
}

export const json = (shape: unknown) => ({ 'application/json': { schema: shape } });

export function schema(type: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(type, { io, target: 'draft-2020-12' });
  return rest;
}

export const acceptsNothing = (body: z.ZodType): boolean => body.safeParse({}).success;
