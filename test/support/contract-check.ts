import { appendFileSync } from 'node:fs';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Call } from '../../dev/http-client.ts';
import { ERROR_CODES, errorRow } from '../../src/http/errors.ts';
import { testEnvironment } from './environment.ts';

interface Operation {
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

/** Checks the response to a request, and records its route and status. */
export type CheckAnswer = (method: string, path: string, answer: Answer) => void;

/** By the settings: Corridors with the same ones have the same document, and need not make it. */
const bySettings = new Map<string, CheckAnswer>();
/** By the document without its address. Compiling the schemas takes long, and most settings do not change them. */
const byDocument = new Map<string, CheckAnswer>();

/**
 * Compares responses with the service's OpenAPI document. A response whose route or status is
 * not in it, or whose body has an extra or missing field, fails the test. Routes and statuses are recorded for the end of
 * the run, which requires all of them (`global-teardown.ts`).
 * `settings`: the variables by which this Corridor differs from those of other tests.
 */
export async function contractCheck(baseUrl: string, settings: Record<string, string>): Promise<CheckAnswer> {
  const key = JSON.stringify(settings);
  const known = bySettings.get(key);
  if (known) return known;
  const text = await (await fetch(`${baseUrl}/openapi.json`)).text();
  const document = text.replaceAll(baseUrl, '');
  const check = byDocument.get(document) ?? createCheck(JSON.parse(text));
  byDocument.set(document, check);
  bySettings.set(key, check);
  return check;
}

function createCheck(document: Document): CheckAnswer {
  const ajv = addFormats.default(
    new Ajv2020.default({ strict: true, allErrors: true, allowUnionTypes: true }),
  );
  // Schemas refer to it, but it checks nothing.
  ajv.addKeyword('components');
  const validators = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }));
  // Fixed paths before those with parameters, as the service itself matches.
  routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length);

  const requireMatch = (key: string, schema: object, body: unknown) => {
    const validate = validators.get(key) ?? ajv.compile({ ...schema, components: document.components });
    validators.set(key, validate);
    if (validate(body)) return;
    const faults = ajv.errorsText(validate.errors);
    throw new Error(`${key} does not match the OpenAPI document: ${faults}\n${JSON.stringify(body)}`);
  };

  return (method, path, { status, body, headers }) => {
    if (!headers.get('x-request-id')) throw new Error(`${method} ${path} ${status} has no X-Request-Id`);
    if (status >= 400) requireHelp(status, headers);
    const route = routes.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
    const operation = route?.operations[method.toLowerCase()];
    // An unknown path has no route.
    if (!route || !operation) return;
    const key = `${method.toUpperCase()} ${route.path} ${status}`;
    const content = operation.responses[String(status)]?.content;
    if (!content) throw new Error(`${key} is not in the OpenAPI document: ${JSON.stringify(body)}`);
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    const media = content[type];
    if (!media) throw new Error(`${key} is not of a type that the OpenAPI document names: ${type}`);
    // A file has a media type but no schema.
    if (media.schema) requireMatch(key, media.schema, Buffer.isBuffer(body) ? body.toString() : body);
    appendFileSync(testEnvironment().contractLog, `${key}\n`);
  };
}

/** Every refusal states its code and links to its explanation. */
function requireHelp(status: number, headers: Headers): void {
  const code = headers.get('x-error-code') ?? 'none';
  const known = ERROR_CODES.find((one) => one === code);
  if (!known || errorRow(known).status !== status)
    throw new Error(`A refusal with ${status} has the X-Error-Code ${code}`);
  if (headers.get('link') !== `</docs/errors#${code}>; rel="help"`)
    throw new Error(`The refusal ${code} links to ${headers.get('link')}`);
}

/** A `createCaller` that checks every response. */
export const checked =
  (call: Call, check: CheckAnswer): Call =>
  async (method, path, body, headers) => {
    const answer = await call(method, path, body, headers);
    check(method, path, answer);
    return answer;
  };
