/** A JSON Schema, as far as the service's own document goes. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  pattern?: string;
  format?: string;
  [limit: string]: unknown;
}

/** Who writes what the schema describes: a caller, or the service. */
export type SchemaSide = 'request' | 'answer';

interface Comparison {
  /** Where it is, for people. */
  at: string;
  side: SchemaSide;
  /** What `$ref` leads to, by name, in either document. */
  schemas: { before: Record<string, Schema>; after: Record<string, Schema> };
}

/** Limits from above, which must not fall in requests, and from below, which must not rise. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];

/** What in `after` breaks callers that were written by `before`. */
export function breaks(before: Schema, after: Schema, context: Comparison): string[] {
  const was = resolved(before, context.schemas.before);
  const is = resolved(after, context.schemas.after);
  const variants = { was: variantsOf(was), is: variantsOf(is) };
  if (variants.was.length > 1 || variants.is.length > 1) return variantBreaks(variants, context);
  return [
    ...typeBreaks(was, is, context),
    ...(context.side === 'request' ? requestBreaks(was, is, context) : answerBreaks(was, is, context)),
    ...innerBreaks(was, is, context),
  ];
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = schemas[name];
  if (!found) throw new Error(`there is no schema ${schema.$ref}`);
  return resolved(found, schemas);
}

const variantsOf = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** What callers sent must be taken in one form; what the service sends must be known in one. */
function variantBreaks({ was, is }: { was: Schema[]; is: Schema[] }, context: Comparison): string[] {
  const fits = (a: Schema, b: Schema) => breaks(a, b, context).length === 0;
  if (context.side === 'request') {
    const refused = was.filter((one) => !is.some((other) => fits(one, other)));
    return refused.map((one) => `${context.at} does not take ${inWords(one)} any more`);
  }
  const unknown = is.filter((one) => !was.some((other) => fits(other, one)));
  return unknown.map((one) => `${context.at} may be ${inWords(one)} now`);
}

const inWords = ({ $ref, type, const: value, enum: values }: Schema): string =>
  $ref?.split('/').at(-1) ?? JSON.stringify(value ?? values ?? type ?? 'anything');

/** Undefined: any type. An integer is a number. */
const typesOf = ({ type }: Schema): string[] | undefined => (type === undefined ? undefined : [type].flat());

function typeBreaks(was: Schema, is: Schema, { at, side }: Comparison): string[] {
  const [from, to] = side === 'request' ? [typesOf(was), typesOf(is)] : [typesOf(is), typesOf(was)];
  if (!to) return [];
  const covered = (type: string) => to.includes(type) || (type === 'integer' && to.includes('number'));
  const left = (from ?? ['anything']).filter((type) => !covered(type));
  return left.map((type) =>
    side === 'request' ? `${at} does not take ${type} any more` : `${at} may be ${type} now`,
  );
}

/** An enumeration's values; a constant is one of one. */
const valuesOf = (schema: Schema): unknown[] | undefined =>
  schema.enum ?? ('const' in schema ? [schema.const] : undefined);

function requestBreaks(was: Schema, is: Schema, { at }: Comparison): string[] {
  const [before, after] = [valuesOf(was), valuesOf(is)];
  const lost = after ? (before ?? []).filter((value) => !after.includes(value)) : [];
  const limited = after && !before ? [`${at} takes nothing but ${JSON.stringify(after)} now`] : [];
  const tighter = [...UPPER, ...LOWER].filter((limit) =>
    isTighter(was[limit], is[limit], UPPER.includes(limit)),
  );
  const other = (['pattern', 'format'] as const).filter(
    (rule) => is[rule] !== undefined && is[rule] !== was[rule],
  );
  const required = (is.required ?? []).filter((name) => !(was.required ?? []).includes(name));
  const gone = Object.keys(was.properties ?? {}).filter((name) => !Object.hasOwn(is.properties ?? {}, name));
  return [
    ...limited,
    ...lost.map((value) => `${at} does not take ${JSON.stringify(value)} any more`),
    ...tighter.map((limit) => `${at} has a tighter ${limit}: ${is[limit]}`),
    ...other.map((rule) => `${at} has another ${rule}: ${is[rule]}`),
    ...required.map((name) => `${at}.${name} is required now`),
    ...gone.map((name) => `${at}.${name} is not taken any more`),
  ];
}

function isTighter(was: unknown, is: unknown, fromAbove: boolean): boolean {
  if (typeof is !== 'number') return false;
  if (typeof was !== 'number') return true;
  return fromAbove ? is < was : is > was;
}

function answerBreaks(was: Schema, is: Schema, { at }: Comparison): string[] {
  const gone = Object.keys(was.properties ?? {}).filter((name) => !Object.hasOwn(is.properties ?? {}, name));
  const optional = (was.required ?? []).filter(
    (name) => !gone.includes(name) && !(is.required ?? []).includes(name),
  );
  return [
    ...gone.map((name) => `${at}.${name} is gone`),
    ...optional.map((name) => `${at}.${name} may be missing now`),
    ...(valuesOf(was) && !valuesOf(is) ? [`${at} may be any value now`] : []),
  ];
}

/** Fields that both have, and what lists and maps hold. */
function innerBreaks(was: Schema, is: Schema, context: Comparison): string[] {
  const into = (before: Schema, after: Schema, name: string) =>
    breaks(before, after, { ...context, at: `${context.at}${name}` });
  const fields = Object.entries(was.properties ?? {}).flatMap(([name, field]) => {
    const now = is.properties?.[name];
    return now ? into(field, now, `.${name}`) : [];
  });
  const items = was.items && is.items ? into(was.items, is.items, '[]') : [];
  const [rest, restNow] = [was.additionalProperties, is.additionalProperties];
  const map = typeof rest === 'object' && typeof restNow === 'object' ? into(rest, restNow, '{}') : [];
  return [...fields, ...items, ...map];
}
