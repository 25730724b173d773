import { z } from 'zod';

/** The fields that a body is refused for; none when it is taken. */
export function faults(schema: z.ZodType, body: unknown): string[] {
  const { error } = schema.safeParse(body);
  return error ? Object.keys(z.flattenError(error).fieldErrors) : [];
}
