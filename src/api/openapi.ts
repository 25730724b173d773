import type { z } from 'zod';
import type { ErrorCode } from '../http/errors.ts';
import { acceptsNothing, contentOf, json, requestContent, schema } from './openapi-content.ts';
import { exampleOf } from './openapi-examples.ts';
import { describedNeeds, proposals } from './openapi-needs.ts';
import { REFUSED_BY_AUTH, SECURITY_SCHEMES, securityOf } from './openapi-security.ts';
import { lpWebhookBody } from './resources/lp-webhook/body.ts';
import { webhookBody } from './resources/webhook-deliveries/body.ts';
import type { RouteContract } from './route-contract.ts';
import { pathParameters } from './schemas/path-parameters.ts';
import { errorBody, validationErrorBody } from './schemas/response-fields.ts';

/** Returns the HTTP status and standard text of an error code. */
export type ErrorText = (code: ErrorCode) => { status: number; text: string };

const REFUSED_WITH_BODY: ErrorCode[] = ['validation_failed', 'invalid_json', 'payload_too_large'];

const REFUSED_WITH_FORM: ErrorCode[] = ['validation_failed', 'bad_multipart', 'payload_too_large'];

const OUTAGE: ErrorCode[] = ['unavailable'];

/** All error codes of a route: its own, and those that its auth, body and query imply. */
export function refusalsOf(route: RouteContract): ErrorCode[] {
  const { auth, body, form, query, headers, refuses, strangersCreate, isHealthCheck, standsAlone } = route;
  const parsed: ErrorCode[] = query || headers ? ['validation_failed'] : [];
  return [
    ...new Set([
      ...REFUSED_BY_AUTH[auth],
      ...(body ? REFUSED_WITH_BODY : []),
      ...(form ? REFUSED_WITH_FORM : []),
      ...parsed,
      ...(isHealthCheck ? [] : ['rate_limited' as const]),
      ...(strangersCreate ? ['origin_refused' as const] : []),
      ...refuses,
      ...(standsAlone ? [] : OUTAGE),
      'internal' as const,
    ]),
  ];
}

const DESCRIPTION = `Fiat payouts against crypto, by liquidity providers. Amounts are JSON numbers, times ISO 8601.

**From a key to a completed order**, on a sandbox:

1. *Authorize* as admin with the key that the service printed at its start (\`adminKey\`). Create a user
   (\`POST /api/admin/users\`) and an agent key (\`POST /api/admin/agent-keys\`).
2. Register a liquidity provider (\`POST /api/lp/register\`). *Authorize* with its \`lp_key\` (\`lpKey\`), and with the
   agent's \`api_key\` (\`agentKey\`).
3. As the LP (its key goes into the path as well), register a receive address (\`…/assets\`), announce enough collateral for its claims (\`…/collateral/deposit\`) and confirm it (\`…/collateral/{deposit_id}/confirm\`).
4. As the agent, \`POST /api/v1/pay\` with the user's id, in a currency for which the provider has a rate. Keep the
   \`order_id\`.
5. As the LP, \`POST /api/orders/{order_id}/claim\`; the response says where to send the crypto. Then \`…/fiat-sent\`.
6. As the agent, \`POST /api/v1/confirm/{orderId}\`.
7. Pay: \`POST /sandbox/transactions\` to the LP's address, with the \`amount\`, \`symbol\` and \`chain\` of the
   payment's \`crypto_required\`. The response has a \`tx_hash\`.
8. As the agent, \`POST /api/v1/settle/{orderId}\` with it, and read \`GET /api/v1/status/{orderId}\` until the
   status is \`completed\`.

Keys are shown only once, and this page forgets them when you reload it: store them elsewhere.

Corridor posts each change of an order's status to the order's \`callback_url\`; see *Webhooks* below and docs/webhooks.md for
the signature. LPs receive new orders at \`/ws/orders?lp_key=…\` (WebSocket).`;

/** The OpenAPI 3.1 document of these routes. Contract: all of it. */
export function openApi(routes: RouteContract[], errorText: ErrorText, publicUrl: string) {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method]: operation(route, errorText) };
  }
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
      orderStatusChanged: webhook(
        'Agents',
        'The status of an order has changed',
        '`X-Service-Signature` is the hexadecimal HMAC-SHA256 of the raw body by the installation’s secret. `webhook-signature`, as Standard Webhooks defines it, has a signature by the `webhook_secret` of the agent key too. Verify that one: other integrators know the installation’s secret. Respond with 2xx within 10 s; otherwise two more attempts follow.',
        webhookBody,
      ),
      lpEvent: webhook(
        'Liquidity providers',
        'The order feed of an LP has changed, or the LP got a strike',
        'Sent to LPs that set a URL. The secret of the LP makes the signature of Standard Webhooks in `webhook-signature`. Respond with 2xx within 10 s; otherwise two more attempts follow.',
        lpWebhookBody,
      ),
    },
    components: {
      securitySchemes: SECURITY_SCHEMES,
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

const webhook = (tag: string, summary: string, description: string, body: z.ZodType) => ({
  post: {
    ...{ tags: [tag], summary, description },
    requestBody: { required: true, content: json(schema(body, 'output')) },
    responses: { '2XX': { description: 'Received' } },
  },
});

function operation(route: RouteContract, errorText: ErrorText) {
  const { summary, auth, body, form, answers } = route;
  return {
    operationId: operationId(route),
    tags: [tagOf(route.path)],
    summary,
    ...describedNeeds(route),
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
          {
            description: 'mediaTypes' in shape ? `${summary}. The body is the bytes of the file.` : summary,
            headers: answerHeaders(route, status),
            content: contentOf(shape, exampleOf(route, status)),
          },
        ]),
      ),
      ...proposals(route),
      ...refusals(route, errorText),
    },
  };
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
  'X-Request-Id': 'Identifies the request in the log of the service: the caller’s own id, or a new one.',
  'X-Error-Code': 'The error code. `GET /docs/errors` explains each code.',
  Link: 'The page that explains the error, with `rel="help"`.',
  'Idempotent-Replayed': '`true`: this repeats an earlier response, and Corridor did nothing again.',
};
const header = (name: keyof typeof HEADERS) => ({ [name]: { $ref: `#/components/headers/${name}` } });
const REFUSAL_HEADERS = { ...header('X-Request-Id'), ...header('X-Error-Code'), ...header('Link') };

const answerHeaders = ({ replays }: RouteContract, status: string) => ({
  ...header('X-Request-Id'),
  ...(Number(status) === replays ? header('Idempotent-Replayed') : {}),
});

function parameters({ path, headers, query }: RouteContract) {
  return [...pathParameters(path), ...fieldsOf(headers, 'header'), ...fieldsOf(query, 'query')];
}

function fieldsOf(fields: z.ZodType | undefined, where: 'header' | 'query') {
  if (!fields) return [];
  const { properties = {}, required = [] } = schema(fields, 'input') as {
    properties?: Record<string, { description?: string }>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...shape }]) => ({
    name,
    in: where,
    required: required.includes(name),
    description,
    schema: shape,
  }));
}

/** Such as `postApiV1Pay`: stable, and unique because method and path are. */
const operationId = ({ method, path }: RouteContract): string =>
  method + path.replace(/[^A-Za-z0-9]+(\w)/g, (_, letter: string) => letter.toUpperCase());

function tagOf(path: string): string {
  if (path.startsWith('/api/v1/')) return 'Agents';
  if (path.startsWith('/api/lp')) return 'Liquidity providers';
  if (path.startsWith('/api/admin/')) return 'Admins';
  if (path.startsWith('/api/console/')) return 'Console';
  if (path.startsWith('/api/orders/') || path.startsWith('/api/receipts/')) return 'Orders';
  return path.startsWith('/sandbox/') ? 'Sandbox' : 'Service';
}
