import { z } from 'zod';

/** A setting: its environment variable, and the schema that reads its text. */
export const setting = <Schema extends z.ZodType>(name: string, schema: Schema): Schema =>
  schema.meta({ environmentVariable: name });

const nameOf = (schema: z.core.$ZodType): string | undefined =>
  z.globalRegistry.get(schema)?.environmentVariable as string | undefined;

/** A group of settings: an object, or an object with a transformation. */
function shapeOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  const group = schema instanceof z.ZodPipe ? schema.in : schema;
  if (group instanceof z.ZodObject) return group.shape;
  throw new TypeError('A setting without the name of its environment variable');
}

/** Every setting of a group and of the groups in it, by the name of its environment variable. */
export function settingsIn(schema: z.core.$ZodType): Map<string, z.core.$ZodType> {
  const name = nameOf(schema);
  return new Map(
    name ? [[name, schema]] : Object.values(shapeOf(schema)).flatMap((one) => [...settingsIn(one)]),
  );
}

/** The environment's values in the shape of the group. */
export function valuesFor(schema: z.core.$ZodType, given: Record<string, string | undefined>): unknown {
  const name = nameOf(schema);
  if (name) return given[name];
  return Object.fromEntries(
    Object.entries(shapeOf(schema)).map(([key, one]) => [key, valuesFor(one, given)]),
  );
}

/** The environment variable of the setting at a path; undefined: the path ends at a group. */
export function nameAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string | undefined {
  const [key, ...rest] = path;
  const name = nameOf(schema);
  const next = name === undefined && key !== undefined ? shapeOf(schema)[String(key)] : undefined;
  return next ? nameAt(next, rest) : name;
}
