import { z } from 'zod';
import type { ErrorCode } from '../domain/errors.ts';
import { errorBody, validationErrorBody } from './answers.ts';
import type { Auth, FileAnswer, RouteContract, TextAnswer } from './route-contract.ts';
import { webhookBody } from './webhooks.ts';

/** HTTP status and standard text of a refusal. */
export type ErrorText = (code: ErrorCode) => { status: number; text: string };

const SCHEME: Record<Exclude<Auth, 'none' | 'any'>, { key: string; description: string }> = {
  agent: { key: 'agentKey', description: 'An agent API key: `rk_live_` and 48 hexadecimal characters.' },
  admin: { key: 'adminKey', description: 'The admin key of the installation.' },
  lp: {
    key: 'lpKey',
    description: 'The key of a liquidity provider: `lp_…`, the same as in the path where it is there.',
  },
};
const REFUSED_BY_AUTH: Record<Auth, ErrorCode[]> = {
  // Keys that fail too often are refused unseen, and agents may have a limit of their own.
  agent: ['agent_key_required', 'agent_key_invalid', 'rate_limited'],
  admin: ['admin_key_invalid', 'rate_limited'],
  lp: ['lp_unauthorized', 'rate_limited'],
  none: [],
  any: ['rate_limited'],
};
const REFUSED_WITH_BODY: ErrorCode[] = ['validation_failed', 'invalid_json', 'payload_too_large'];

const REFUSED_WITH_FORM: ErrorCode[] = ['validation_failed', 'bad_multipart', 'payload_too_large'];

const OUTAGE: ErrorCode[] = ['unavailable'];

/** Everything that a route may refuse: what it says itself, and what comes with its key, body and query. */
export function refusalsOf(route: RouteContract): ErrorCode[] {
  const { auth, body, form, query, headers, clientLimit, refuses, standsAlone } = route;
  const parsed: ErrorCode[] = query || headers ? ['validation_failed'] : [];
  return [
    ...new Set([
      ...REFUSED_BY_AUTH[auth],
      ...(body ? REFUSED_WITH_BODY : []),
      ...(form ? REFUSED_WITH_FORM : []),
      ...parsed,
      ...(clientLimit ? ['rate_limited' as const] : []),
      ...refuses,
      ...(standsAlone ? [] : OUTAGE),
      'internal' as const,
    ]),
  ];
}

const DESCRIPTION = `Fiat payouts against crypto, by liquidity providers. Amounts are JSON numbers, times ISO 8601.

**From a key to a completed order**, on a sandbox:

1. *Authorize* as admin with the key that the service printed when it started (\`adminKey\`). Make a user
   (\`POST /api/admin/users\`) and an agent key (\`POST /api/admin/agent-keys\`).
2. Register a liquidity provider (\`POST /api/lp/register\`). *Authorize* with its \`lp_key\` (\`lpKey\`), and with the
   agent's \`api_key\` (\`agentKey\`).
3. As the LP (its key goes into the path as well), register a receive address (\`…/assets\`), announce collateral for
   what it will claim (\`…/collateral/deposit\`) and have it credited (\`…/collateral/{deposit_id}/confirm\`).
4. As the agent, \`POST /api/v1/pay\` with the user's id, in a currency that the provider has a rate for. Note the
   \`order_id\`.
5. As the LP, \`POST /api/orders/{order_id}/claim\`; it answers where the crypto goes. Then \`…/fiat-sent\`.
6. As the agent, \`POST /api/v1/confirm/{orderId}\`.
7. Pay: \`POST /sandbox/transactions\` to the LP's address, with the \`amount\`, \`symbol\` and \`chain\` of the
   payment's \`crypto_required\`. It answers a \`tx_hash\`.
8. As the agent, \`POST /api/v1/settle/{orderId}\` with it, and read \`GET /api/v1/status/{orderId}\` until it
   says \`completed\`.

Keys are shown once, and this page forgets them when it is loaded again: keep them elsewhere.

Each change of an order's status is posted to its \`callback_url\`; see *Webhooks* below and the README for the
signature. LPs hear of new orders at \`/ws/orders?lp_key=…\` (WebSocket).`;

/** The OpenAPI 3.1 document of these routes. Contract: all of it. */
export function openApi(routes: RouteContract[], errorText: ErrorText, publicUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, errorText) };
  }
  const schemes = Object.values(SCHEME).map(({ key, description }) => [
    key,
    { type: 'http', scheme: 'bearer', description },
  ]);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Corridor',
      version: '1',
      description: DESCRIPTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths,
    webhooks: {
      orderStatusChanged: {
        post: {
          tags: ['Agents'],
          summary: 'The status of an order has changed',
          description:
            '`X-Service-Signature` is the hexadecimal HMAC-SHA256 of the raw body. Answer 2xx within 10 s; else two more attempts follow.',
          requestBody: { required: true, content: json(schema(webhookBody, 'output')) },
          responses: { '2XX': { description: 'Taken' } },
        },
      },
    },
    components: {
      securitySchemes: Object.fromEntries(schemes),
      headers: Object.fromEntries(
        Object.entries(HEADERS).map(([name, description]) => [
          name,
          { description, schema: { type: 'string' } },
        ]),
      ),
      schemas: { Error: schema(errorBody, 'output'), ValidationError: schema(validationErrorBody, 'output') },
    },
  };
}

function operation(route: RouteContract, errorText: ErrorText) {
  const { summary, description, auth, body, form, answers } = route;
  return {
    operationId: operationId(route),
    tags: [tagOf(route.path)],
    summary,
    ...(description ? { description } : {}),
    security: securityOf(auth),
    parameters: parameters(route),
    ...(body ? { requestBody: { required: !acceptsNothing(body), content: requestContent(body) } } : {}),
    ...(form
      ? {
          requestBody: {
            required: true,
            content: { 'multipart/form-data': { schema: schema(form, 'input') } },
          },
        }
      : {}),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, shape]) => [
          status,
          { description: summary, headers: answerHeaders(route, status), content: contentOf(shape) },
        ]),
      ),
      ...refusals(route, errorText),
    },
  };
}

/** `any`: without a key, or with one of whatever kind. */
function securityOf(auth: Auth): object[] {
  if (auth === 'none') return [];
  if (auth === 'any') return [{}, ...Object.values(SCHEME).map(({ key }) => ({ [key]: [] }))];
  return [{ [SCHEME[auth].key]: [] }];
}

function refusals(route: RouteContract, errorText: ErrorText) {
  const byStatus = new Map<number, { texts: string[]; shapes: Set<string> }>();
  for (const code of refusalsOf(route)) {
    const { status, text } = errorText(code);
    if (status in route.answers) continue;
    const entry = byStatus.get(status) ?? { texts: [], shapes: new Set<string>() };
    entry.texts.push(text);
    entry.shapes.add(code === 'validation_failed' ? 'ValidationError' : 'Error');
    byStatus.set(status, entry);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, { texts, shapes }]) => {
      const refs = [...shapes].map((shape) => ({ $ref: `#/components/schemas/${shape}` }));
      const shape = refs.length === 1 ? refs[0] : { anyOf: refs };
      return [status, { description: texts.join(' · '), headers: REFUSAL_HEADERS, content: json(shape) }];
    }),
  );
}

const HEADERS = {
  'X-Request-Id': 'Finds the request in the log of the service: the caller’s own, or a new one.',
  'X-Error-Code': 'The name of the refusal. `GET /docs/errors` has a section for each.',
  Link: 'Where to read about the refusal, `rel="help"`.',
  'Idempotent-Replayed': '`true`: this was answered before, and nothing was done again.',
};
const header = (name: keyof typeof HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const REFUSAL_HEADERS = { ...header('X-Request-Id'), ...header('X-Error-Code'), ...header('Link') };

const answerHeaders = ({ replays }: RouteContract, status: string) => ({
  ...header('X-Request-Id'),
  ...(Number(status) === replays ? header('Idempotent-Replayed') : {}),
});

function parameters({ path, headers, query }: RouteContract) {
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: name?.endsWith('_key') ? { type: 'string' } : { type: 'integer', minimum: 1 },
  }));
  return [...inPath, ...fieldsOf(headers, 'header'), ...fieldsOf(query, 'query')];
}

function fieldsOf(fields: z.ZodType | undefined, where: 'header' | 'query') {
  if (!fields) return [];
  const { properties = {}, required = [] } = schema(fields, 'input') as {
    properties?: Record<string, object>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, shape]) => ({
    name,
    in: where,
    required: required.includes(name),
    schema: shape,
  }));
}

function requestContent(body: z.ZodType) {
  const { examples: _, ...shape } = schema(body, 'input') as { examples?: unknown };
  // From the schema itself: what zod makes of one that transforms its input has no examples.
  const examples = body.meta()?.examples as unknown[] | undefined;
  return { 'application/json': { schema: shape, ...(examples ? { example: examples[0] } : {}) } };
}

function contentOf(answer: z.ZodType | FileAnswer | TextAnswer): object {
  if ('mediaTypes' in answer) return Object.fromEntries(answer.mediaTypes.map((type) => [type, {}]));
  if ('textType' in answer) return { [answer.textType]: { schema: { type: 'string' } } };
  return json(schema(answer, 'output'));
}

const json = (shape: unknown) => ({ 'application/json': { schema: shape } });

function schema(type: z.ZodType, io: 'input' | 'output'): object {
  const { $schema, ...rest } = z.toJSONSchema(type, { io, target: 'draft-2020-12' });
  return rest;
}

const acceptsNothing = (body: z.ZodType): boolean => body.safeParse({}).success;

/** `postApiV1Pay`: stable, and unique as method and path are. */
const operationId = ({ method, path }: RouteContract): string =>
  method + path.replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function tagOf(path: string): string {
  if (path.startsWith('/api/v1/')) return 'Agents';
  if (path.startsWith('/api/lp')) return 'Liquidity providers';
  if (path.startsWith('/api/admin/')) return 'Admins';
  if (path.startsWith('/api/orders/') || path.startsWith('/api/receipts/')) return 'Orders';
  return path.startsWith('/sandbox/') ? 'Sandbox' : 'Service';
}
