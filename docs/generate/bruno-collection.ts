import { type BruRequest, bruText, pairs } from './bru.ts';
import { WALK } from './bruno-walk.ts';
import type { Document } from './openapi-changes.ts';

/** What is read of an operation beside what callers depend on. */
interface Described {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  security: Record<string, unknown>[];
  parameters: { name: string; in: string; required?: boolean; description?: string }[];
  requestBody?: {
    content: Record<string, { example?: object; schema: { properties?: object; required?: string[] } }>;
  };
  responses: Record<string, unknown>;
}

/** What stands for an id of each kind; `{id}` is that of the resource before it. */
const PARAMETERS: Record<string, string> = {
  orderId: 'orderId',
  order_id: 'orderId',
  lp_key: 'lpKey',
  deposit_id: 'depositId',
  receipt_key: 'receiptKey',
  'orders/{id}': 'orderId',
  'agent-keys/{id}': 'agentKeyId',
  'lps/{id}': 'lpId',
  'withdrawals/{id}': 'withdrawalId',
  'webhook-deliveries/{id}': 'deliveryId',
};

/** The walk's folder comes first: it finds out what the other requests need. */
const WALK_FOLDER = '0 From a key to a completed order';

/** A Bruno collection of the document, by the files' paths: a walk from a key to an order's end, and every route. */
export function brunoCollection(document: Document): Record<string, string> {
  const operations = describedIn(document);
  const walk = WALK.map(({ route, ...changes }, i) => {
    const operation = operations.get(route);
    if (!operation) throw new Error(`the walk goes by ${route}, which is no route`);
    const request = requestOf(route, operation, i + 1);
    const file = `${String(i + 1).padStart(2, '0')} ${operation.operationId}`;
    return [`${WALK_FOLDER}/${file}.bru`, bruText({ ...request, ...changes })] as const;
  });
  const inFolder = new Map<string, number>();
  const reference = [...operations].map(([route, operation]) => {
    const folder = operation.tags[0] ?? 'Service';
    const seq = (inFolder.get(folder) ?? 0) + 1;
    inFolder.set(folder, seq);
    return [`${folder}/${operation.operationId}.bru`, bruText(requestOf(route, operation, seq))] as const;
  });
  const about = { version: '1', name: 'Corridor', type: 'collection', ignore: [] };
  return Object.fromEntries([
    ['bruno.json', `${JSON.stringify(about, null, 2)}\n`],
    ['environments/local.bru', environment()],
    ...walk,
    ...reference,
  ]);
}

/** Ids as a new installation has them, so that a request can be tried by itself. */
function environment(): string {
  const ids = [...new Set(Object.values(PARAMETERS))].filter((name) => !name.endsWith('Key'));
  const vars = { baseUrl: 'http://127.0.0.1:8080', ...Object.fromEntries(ids.map((name) => [name, '1'])) };
  return `${pairs('vars', vars)}\n\nvars:secret [\n  adminKey,\n  agentKey,\n  lpKey,\n  receiptKey\n]\n`;
}

const describedIn = (document: Document): Map<string, Described> =>
  new Map(
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Described] => [
        `${method.toUpperCase()} ${path}`,
        operation as unknown as Described,
      ]),
    ),
  );

function requestOf(route: string, operation: Described, seq: number): BruRequest {
  const [method = '', path = ''] = route.split(' ');
  const { summary, description, security, parameters, responses } = operation;
  const ofKind = (kind: string) => parameters.filter((parameter) => parameter.in === kind);
  // Bruno writes what is switched off with a tilde.
  const given = (kind: string) =>
    Object.fromEntries(
      ofKind(kind).map(({ name, required }) => [required ? name : `~${name}`, standsFor(name, path)]),
    );
  return {
    ...{ name: summary, seq, method, body: bodyOf(operation, path) },
    url: `{{baseUrl}}${path.replace(/\{(\w+)\}/g, (_, name: string) => standsFor(name, path))}`,
    key: Object.keys(security.find((way) => Object.keys(way).length > 0) ?? {})[0] ?? null,
    query: given('query'),
    headers: given('header'),
    captures: {},
    // What the service itself got wrong is no answer to be content with.
    asserts: {
      'res.status': `in ${Object.keys(responses)
        .filter((status) => status !== '500')
        .join(', ')}`,
    },
    docs: description ?? summary,
  };
}

function standsFor(name: string, path: string): string {
  const [resource] = /[\w-]+\/\{id\}/.exec(path) ?? [];
  const variable = PARAMETERS[name] ?? (resource && name === 'id' ? PARAMETERS[resource] : undefined);
  if (variable === undefined && path.includes(`{${name}}`))
    throw new Error(`what stands for {${name}} in ${path}? Say it in PARAMETERS`);
  return variable === undefined ? '' : `{{${variable}}}`;
}

function bodyOf({ requestBody }: Described, path: string): BruRequest['body'] {
  const [[type, content] = []] = Object.entries(requestBody?.content ?? {});
  if (!content) return null;
  if (type === 'application/json') return { json: content.example ?? {} };
  const fields = Object.keys(content.schema.properties ?? {});
  const texts = fields.filter((name) => content.schema.required?.includes(name) && name in PARAMETERS);
  return { form: Object.fromEntries(texts.map((name) => [name, standsFor(name, path)])) };
}
