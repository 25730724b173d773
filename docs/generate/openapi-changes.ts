import { breakingDifferences, type Schema, type SchemaSide } from './schema-changes.ts';

/** The parts of an OpenAPI 3.1 document that clients depend on. */
export interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks?: Record<string, Record<string, Operation>>;
  components?: { schemas?: Record<string, Schema> };
}
interface Operation {
  description?: string;
  security?: Record<string, unknown>[];
  parameters?: Parameter[];
  requestBody?: { required?: boolean; content: Content };
  responses: Record<string, { description?: string; content?: Content }>;
}
interface Parameter {
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}
type Content = Record<string, { schema?: Schema; example?: unknown }>;

/**
 * The changes in `after` that would break clients of `before`, one line each; empty if `after` only adds. New values in the
 * enumeration of a response count as additions, as new fields do.
 */
export function breakingChanges(before: Document, after: Document): string[] {
  const schemas = { before: before.components?.schemas ?? {}, after: after.components?.schemas ?? {} };
  return [
    ...operations(before.paths).flatMap(([name, path, method, was]) => {
      const is = after.paths[path]?.[method];
      return is ? operationChanges(name, was, is) : [`${name} is gone`];
    }),
    // A webhook's body comes from the service, so the rules for responses apply.
    ...operations(before.webhooks ?? {}).flatMap(([name, path, method, was]) => {
      const is = after.webhooks?.[path]?.[method];
      return is
        ? contentChanges(`webhook ${name}`, was.requestBody?.content, is.requestBody?.content, 'response')
        : [`webhook ${name} is gone`];
    }),
  ];

  function operationChanges(name: string, was: Operation, is: Operation): string[] {
    return [
      ...securityChanges(name, was, is),
      ...parameterChanges(name, was.parameters ?? [], is.parameters ?? []),
      ...(is.requestBody?.required && !was.requestBody?.required ? [`${name} now requires a body`] : []),
      ...contentChanges(`${name}, body`, was.requestBody?.content, is.requestBody?.content, 'request'),
      ...Object.entries(was.responses).flatMap(([status, { content }]) => {
        const now = is.responses[status];
        return now
          ? contentChanges(`${name} ${status}`, content, now.content, 'response')
          : [`${name} no longer returns ${status}`];
      }),
    ];
  }

  function parameterChanges(name: string, was: Parameter[], is: Parameter[]): string[] {
    const same = (a: Parameter) => (b: Parameter) => a.name === b.name && a.in === b.in;
    const gone = was.flatMap((parameter) => {
      const now = is.find(same(parameter));
      const at = `${name}, ${parameter.in} parameter ${parameter.name}`;
      if (!now) return [`${at} is gone`];
      const required = now.required && !parameter.required ? [`${at} is now required`] : [];
      return [
        ...required,
        ...breakingDifferences(parameter.schema, now.schema, { at, side: 'request', schemas }),
      ];
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
      if (!now) return [`${at} is no longer ${type}`];
      return schema && now.schema ? breakingDifferences(schema, now.schema, { at, side, schemas }) : [];
    });
  }
}

/** Each accepted key must stay accepted; `[]` and `{}` mean that a route needs no key. */
function securityChanges(name: string, was: Operation, is: Operation): string[] {
  const acceptedKeys = ({ security = [] }: Operation) =>
    security.length === 0
      ? ['']
      : security.map((requirement) => Object.keys(requirement).sort().join(' and '));
  const remaining = acceptedKeys(is);
  // A route without a key also accepts clients that send one.
  if (remaining.includes('')) return [];
  return acceptedKeys(was)
    .filter((key) => !remaining.includes(key))
    .map((key) => `${name} no longer accepts ${key || 'requests without a key'}`);
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
