import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bruToJsonV2 } from '@usebruno/lang';
import type { Call } from '../../demo/http.ts';

/** A request as Bruno's own parser reads it. */
export interface ParsedRequest {
  /** Where it is, for people. */
  file: string;
  meta: { name: string; type: string; seq: string };
  http: { method: string; url: string; body: string; auth: string };
  params?: Pair[];
  headers?: Pair[];
  auth?: { bearer?: { token: string } };
  body?: { json?: string; multipartForm?: { name: string; value: string | string[] }[] };
  vars?: { res?: Pair[] };
  assertions?: Pair[];
}
interface Pair {
  name: string;
  value: string;
  enabled: boolean;
}

/** The requests of a collection in the order in which Bruno runs them: by folder, and there by their places. */
export function readCollection(folder: string): ParsedRequest[] {
  const folders = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== 'environments',
  );
  return folders
    .map(({ name }) => name)
    .sort()
    .flatMap((name) =>
      readdirSync(join(folder, name))
        .map((file) => ({ file: `${name}/${file}`, ...parsed(join(folder, name, file)) }))
        .sort((a, b) => Number(a.meta.seq) - Number(b.meta.seq)),
    );
}

const parsed = (path: string) => bruToJsonV2<Omit<ParsedRequest, 'file'>>(readFileSync(path, 'utf8'));

/**
 * Makes one request of a collection, as Bruno does: puts its variables in, sets those that it captures, and gives what
 * did not hold of the answer. `callWith` gives a caller for a key.
 */
export async function runRequest(
  request: ParsedRequest,
  variables: Map<string, unknown>,
  callWith: (key: string | undefined) => Call,
): Promise<string[]> {
  const { file, http, params = [], headers = [], auth, body, vars, assertions = [] } = request;
  const filled = (text: string) =>
    text.replace(/\{\{([$\w]+)\}\}/g, (_, name: string) => {
      if (name === '$guid') return randomUUID();
      if (!variables.has(name)) throw new Error(`${file} needs {{${name}}}, which nothing has set`);
      return String(variables.get(name));
    });
  const enabled = (pairs: Pair[]) =>
    pairs.filter((pair) => pair.enabled).map(({ name, value }): [string, string] => [name, filled(value)]);
  const query = new URLSearchParams(enabled(params)).toString();
  const call = callWith(auth?.bearer && filled(auth.bearer.token));
  const path = filled(http.url).replace(String(variables.get('baseUrl')), '') + (query ? `?${query}` : '');
  const answer = await call(
    http.method.toUpperCase(),
    path,
    bodyOf(body, filled),
    Object.fromEntries(enabled(headers)),
  );

  const evaluated = (expression: string): unknown =>
    expression
      .split('.')
      .reduce<unknown>(
        (value, name) => (name === 'res' ? answer : (value as Record<string, unknown> | undefined)?.[name]),
        undefined,
      );
  for (const { name, value } of vars?.res ?? []) variables.set(name, evaluated(value));
  return assertions.flatMap(({ name, value }) => {
    const seen = evaluated(name);
    return holds(seen, value)
      ? []
      : [`${file}: ${name} is ${String(seen)}, not ${value}: ${JSON.stringify(answer.body)}`];
  });
}

function bodyOf(
  body: ParsedRequest['body'],
  filled: (text: string) => string,
): string | FormData | undefined {
  if (body?.json !== undefined) return filled(body.json);
  if (!body?.multipartForm) return undefined;
  const form = new FormData();
  for (const { name, value } of body.multipartForm) form.set(name, filled([value].flat().join('')));
  return form;
}

/** The operators that the collection uses. */
function holds(seen: unknown, rule: string): boolean {
  const [operator, ...operands] = rule.split(/,? +/);
  if (operator !== 'eq' && operator !== 'in') throw new Error(`the assertion "${rule}" has another operator`);
  return operands.includes(String(seen));
}
