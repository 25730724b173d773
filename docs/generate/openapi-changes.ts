import { breaks, type Schema, type SchemaSide } from './schema-changes.ts';

/** What of an OpenAPI 3.1 document callers depend on. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}
interface Operation {
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { content?: Content }>;
}
interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: Schema;
}
type Content = Record<string, { schema?: Schema }>;

/**
 * What of `after` would break callers that were written by `before`, a line for each; none: it only adds. New values in
 * an answer's enumeration count as additions, as new fields do.
 */
export function breakingChanges(before: Document, after: Document): string[] {
  const schemas = { before: before.components?.schemas ?? {}, after: after.components?.schemas ?? {} };
  return [
    ...operations(before.paths).flatMap(([name, path, method, was]) => {
      const is = after.paths[path]?.[method];
      return is ? operationChanges(name, was, is) : [`${name} is gone`];
    }),
    // What the service sends of itself is an answer by its nature.
    ...operations(before.webhooks ?? {}).flatMap(([name, path, method, was]) => {
      const is = after.webhooks?.[path]?.[method];
      return is
        ? contentChanges(`webhook ${name}`, was.requestBody?.content, is.requestBody?.content, 'answer')
        : [`webhook ${name} is gone`];
    }),
  ];

  function operationChanges(name: string, was: Operation, is: Operation): string[] {
    return [
      ...securityChanges(name, was, is),
      ...parameterChanges(name, was.parameters ?? [], is.parameters ?? []),
      ...(is.requestBody?.required && !was.requestBody?.required ? [`${name} needs a body now`] : []),
      ...contentChanges(`${name}, body`, was.requestBody?.content, is.requestBody?.content, 'request'),
      ...Object.entries(was.responses).flatMap(([status, { content }]) => {
        const now = is.responses[status];
        return now
          ? contentChanges(`${name} ${status}`, content, now.content, 'answer')
          : [`${name} is not answered with ${status} any more`];
      }),
    ];
  }

  function parameterChanges(name: string, was: Parameter[], is: Parameter[]): string[] {
    const same = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in;
    const gone = was.flatMap((parameter) => {
      const now = is.find(same(parameter));
      const at = `${name}, ${parameter.in} parameter ${parameter.name}`;
      if (!now) return [`${at} is gone`];
      const required = now.required && !parameter.required ? [`${at} is required now`] : [];
      return [...required, ...breaks(parameter.schema, now.schema, { at, side: 'request', schemas })];
    });
    const added = is.filter((parameter) => parameter.required && !was.some(same(parameter)));
    return [...gone, ...added.map((p) => `${name}, ${p.in} parameter ${p.name} is new and required`)];
  }

  function contentChanges(
    at: string,
    was: Content | undefined,
    is: Content | undefined,
    side: SchemaSide,
  ): string[] {
    return Object.entries(was ?? {}).flatMap(([type, { schema }]) => {
      const now = is?.[type];
      if (!now) return [`${at} is not ${type} any more`];
      return schema && now.schema ? breaks(schema, now.schema, { at, side, schemas }) : [];
    });
  }
}

/** Each way in must stay one; `[]` and `{}` are ways in without a key. */
function securityChanges(name: string, was: Operation, is: Operation): string[] {
  const waysIn = ({ security = [] }: Operation) =>
    security.length === 0 ? [''] : security.map((way) => Object.keys(way).sort().join(' and '));
  const left = waysIn(is);
  // Whoever sends a key where none is asked for is let in as well.
  if (left.includes('')) return [];
  return waysIn(was)
    .filter((way) => !left.includes(way))
    .map((way) => `${name} is not open with ${way || 'no key'} any more`);
}

const operations = (paths: Document['paths']): [string, string, string, Operation][] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): [string, string, string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      path,
      method,
      operation,
    ]),
  );
