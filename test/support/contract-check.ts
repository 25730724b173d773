import { appendFileSync } from 'node:fs';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Answer, Call } from '../../demo/http.ts';
import { errorText } from '../../src/api/error-responses.ts';
import { ERROR_CODES } from '../../src/domain/errors.ts';
import { testEnvironment } from './environment.ts';

interface Operation {
  responses: Record<string, { content: Record<string, { schema?: object }> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: object;
}

/** Checks an answer to a request, and notes which route and status it was. */
export type CheckAnswer = (method: string, path: string, answer: Answer) => void;

/**
 * Holds answers against the OpenAPI document that the service itself gives out: an answer whose route or status is
 * not in it, or whose body has a field too many or too few, fails the test. What was seen is noted for the end of
 * the run, which asks for every route and status (`global-teardown.ts`).
 */
export async function contractCheck(baseUrl: string): Promise<CheckAnswer> {
  const document = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document;
  const ajv = addFormats.default(
    new Ajv2020.default({ strict: true, allErrors: true, allowUnionTypes: true }),
  );
  // Schemas refer to it; it holds nothing to be checked.
  ajv.addKeyword('components');
  const validators = new Map<string, ValidateFunction>();
  const routes = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    operations,
  }));
  // Fixed paths before those with parameters, as the service itself matches.
  routes.sort((a, b) => a.path.split('{').length - b.path.split('{').length);

  const hold = (key: string, schema: object, body: unknown) => {
    const validate = validators.get(key) ?? ajv.compile({ ...schema, components: document.components });
    validators.set(key, validate);
    if (validate(body)) return;
    const faults = ajv.errorsText(validate.errors);
    throw new Error(`${key} is not as the OpenAPI document says: ${faults}\n${JSON.stringify(body)}`);
  };

  return (method, path, { status, body, headers }) => {
    if (!headers.get('x-request-id')) throw new Error(`${method} ${path} ${status} has no X-Request-Id`);
    if (status >= 400) requireHelp(status, headers);
    const route = routes.find(({ pattern }) => pattern.test(path.split('?')[0] ?? ''));
    const operation = route?.operations[method.toLowerCase()];
    // What the service does not offer is answered by no route.
    if (!route || !operation) return;
    const key = `${method.toUpperCase()} ${route.path} ${status}`;
    const content = operation.responses[String(status)]?.content;
    if (!content) throw new Error(`${key} is not in the OpenAPI document: ${JSON.stringify(body)}`);
    const type = headers.get('content-type')?.split(';')[0] ?? 'none';
    const media = content[type];
    if (!media) throw new Error(`${key} is not of a type that the OpenAPI document names: ${type}`);
    // The bytes of a file have a type and no schema.
    if (media.schema) hold(key, media.schema, Buffer.isBuffer(body) ? body.toString() : body);
    appendFileSync(testEnvironment().contractLog, `${key}\n`);
  };
}

/** Every refusal says its name, and where to read about it. */
function requireHelp(status: number, headers: Headers): void {
  const code = headers.get('x-error-code') ?? 'none';
  const known = ERROR_CODES.find((one) => one === code);
  if (!known || errorText(known).status !== status)
    throw new Error(`A refusal with ${status} has the X-Error-Code ${code}`);
  if (headers.get('link') !== `</docs/errors#${code}>; rel="help"`)
    throw new Error(`The refusal ${code} links to ${headers.get('link')}`);
}

/** A caller whose answers are all checked. */
export const checked =
  (call: Call, check: CheckAnswer): Call =>
  async (method, path, body, headers) => {
    const answer = await call(method, path, body, headers);
    check(method, path, answer);
    return answer;
  };
