import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { DomainError } from '../../domain/errors.ts';

const JSON_LIMIT = '64kb';

const readJson: Middleware = koaBody({
  json: true,
  jsonLimit: JSON_LIMIT,
  jsonStrict: true,
  urlencoded: false,
  text: false,
  multipart: false,
});

/** The JSON body; none at all counts as an empty object. A body in another form is refused, not taken for empty. */
export async function jsonBody(ctx: Context): Promise<unknown> {
  if (!ctx.get('content-type')) ctx.req.headers['content-type'] = 'application/json';
  try {
    await readJson(ctx, async () => undefined);
  } catch (error) {
    if ((error as { status?: number }).status === 413) throw new DomainError('payload_too_large');
    throw new DomainError('invalid_json', undefined, { cause: error });
  }
  if (ctx.request.body === undefined && ctx.is('json', '+json') === false) {
    throw new DomainError('invalid_json', 'Send the body as JSON, with Content-Type: application/json');
  }
  return ctx.request.body ?? {};
}
