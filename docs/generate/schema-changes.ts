/** The subset of JSON Schema that the service's own document uses. */
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

/** Whether the client or the service sends the value. */
export type SchemaSide = 'request' | 'response';

interface Comparison {
  /** A readable path of the schema. */
  at: string;
  side: SchemaSide;
  /** The targets of `$ref`, by name, in either document. */
  schemas: { before: Record<string, Schema>; after: Record<string, Schema> };
}

/** Upper limits of requests must not fall, and lower limits must not rise. */
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'];
const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems'];

/** The differences of `after` that break clients of `before`. */
export function breakingDifferences(before: Schema, after: Schema, context: Comparison): string[] {
  const was = resolved(before, context.schemas.before);
  const is = resolved(after, context.schemas.after);
  const variants = { was: variantsOf(was), is: variantsOf(is) };
  if (variants.was.length > 1 || variants.is.length > 1) return variantBreaks(variants, context);
  return [
    ...typeBreaks(was, is, context),
    ...(context.side === 'request' ? requestBreaks(was, is, context) : responseBreaks(was, is, context)),
    ...innerBreaks(was, is, context),
  ];
}

function resolved(schema: Schema, schemas: Record<string, Schema>): Schema {
  if (!schema.$ref) return schema;
  const name = schema.$ref.replace('#/components/schemas/', '');
  const found = schemas[name];
  if (!found) throw new Error(`The document has no schema ${schema.$ref}`);
  return resolved(found, schemas);
}

const variantsOf = (schema: Schema): Schema[] => schema.anyOf ?? schema.oneOf ?? [schema];

/** A new variant must accept each old request variant, and an old variant must describe each new response variant. */
function variantBreaks({ was, is }: { was: Schema[]; is: Schema[] }, context: Comparison): string[] {
  const fits = (a: Schema, b: Schema) => breakingDifferences(a, b, context).length === 0;
  if (context.side === 'request') {
    const refused = was.filter((one) => !is.some((other) => fits(one, other)));
    return refused.map((one) => `${context.at} no longer accepts ${describe(one)}`);
  }
  const unknown = is.filter((one) => !was.some((other) => fits(other, one)));
  return unknown.map((one) => `${context.at} may now be ${describe(one)}`);
}

const describe = ({ $ref, type, const: value, enum: values }: Schema): string =>
  $ref?.split('/').at(-1) ?? JSON.stringify(value ?? values ?? type ?? 'anything');

/** The schema's types; undefined if it allows any. */
const typesOf = ({ type }: Schema): string[] | undefined => (type === undefined ? undefined : [type].flat());

function typeBreaks(was: Schema, is: Schema, { at, side }: Comparison): string[] {
  const [from, to] = side === 'request' ? [typesOf(was), typesOf(is)] : [typesOf(is), typesOf(was)];
  if (!to) return [];
  const covered = (type: string) => to.includes(type) || (type === 'integer' && to.includes('number'));
  const left = (from ?? ['anything']).filter((type) => !covered(type));
  return left.map((type) =>
    side === 'request' ? `${at} no longer accepts ${type}` : `${at} may now be ${type}`,
  );
}

/** The values of an enumeration; a constant is an enumeration of one value. */
const valuesOf = (schema: Schema): unknown[] | undefined =>
  schema.enum ?? ('const' in schema ? [schema.const] : undefined);

function requestBreaks(was: Schema, is: Schema, { at }: Comparison): string[] {
  const [before, after] = [valuesOf(was), valuesOf(is)];
  const lost = after ? (before ?? []).filter((value) => !after.includes(value)) : [];
  const limited = after && !before ? [`${at} now accepts only ${JSON.stringify(after)}`] : [];
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
    ...lost.map((value) => `${at} no longer accepts ${JSON.stringify(value)}`),
    ...tighter.map((limit) => `${at} has a tighter ${limit}: ${is[limit]}`),
    ...other.map((rule) => `${at} has a different ${rule}: ${is[rule]}`),
    ...required.map((name) => `${at}.${name} is now required`),
    ...gone.map((name) => `${at}.${name} is no longer accepted`),
  ];
}

function isTighter(was: unknown, is: unknown, isUpper: boolean): boolean {
  if (typeof is !== 'number') return false;
  if (typeof was !== 'number') return true;
  return isUpper ? is < was : is > was;
}

function responseBreaks(was: Schema, is: Schema, { at }: Comparison): string[] {
  const gone = Object.keys(was.properties ?? {}).filter((name) => !Object.hasOwn(is.properties ?? {}, name));
  const optional = (was.required ?? []).filter(
    (name) => !gone.includes(name) && !(is.required ?? []).includes(name),
  );
  return [
    ...gone.map((name) => `${at}.${name} is gone`),
    ...optional.map((name) => `${at}.${name} may now be missing`),
    ...(valuesOf(was) && !valuesOf(is) ? [`${at} may now be any value`] : []),
  ];
}

/** Breaking differences in shared fields and in the elements of lists and maps. */
function innerBreaks(was: Schema, is: Schema, context: Comparison): string[] {
  const nested = (before: Schema, after: Schema, name: string) =>
    breakingDifferences(before, after, { ...context, at: `${context.at}${name}` });
  const fields = Object.entries(was.properties ?? {}).flatMap(([name, field]) => {
    const now = is.properties?.[name];
    return now ? nested(field, now, `.${name}`) : [];
  });
  const items = was.items && is.items ? nested(was.items, is.items, '[]') : [];
  const [rest, restNow] = [was.additionalProperties, is.additionalProperties];
  const map = typeof rest === 'object' && typeof restNow === 'object' ? nested(rest, restNow, '{}') : [];
  return [...fields, ...items, ...map];
}
