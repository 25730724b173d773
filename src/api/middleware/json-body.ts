import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { DomainError } from '../../domain/errors.ts';

const JSON_LIMIT = '64kb';

/** Reads a JSON body. A body in another form is refused rather than taken for an empty one. */
export const jsonBody: Middleware = koaBody({
  json: true,
  jsonLimit: JSON_LIMIT,
  jsonStrict: true,
  urlencoded: false,
  text: false,
  multipart: false,
});

/** The parsed body; nothing at all counts as an empty object. */
export function parsedBody(ctx: Context): unknown {
  const hasOtherForm = ctx.request.body === undefined && ctx.is('json', '+json') === false;
  if (hasOtherForm)
    throw new DomainError('invalid_json', 'Send the body as JSON, with Content-Type: application/json');
  return ctx.request.body ?? {};
}
