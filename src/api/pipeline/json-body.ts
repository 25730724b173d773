import type { Context, Middleware } from 'koa';
import { koaBody } from 'koa-body';
import { HttpError } from '../../http/errors.ts';

const JSON_LIMIT = '64kb';

const readJson: Middleware = koaBody({
  json: true,
  jsonLimit: JSON_LIMIT,
  jsonStrict: true,
  urlencoded: false,
  text: false,
  multipart: false,
});

/** Reads the JSON body. A missing body counts as an empty object; a body in another format is refused. */
export async function jsonBody(ctx: Context): Promise<unknown> {
  if (!ctx.get('content-type')) ctx.req.headers['content-type'] = 'application/json';
  try {
    await readJson(ctx, async () => undefined);
  } catch (error) {
    if ((error as { status?: number }).status === 413) throw new HttpError('payload_too_large');
    throw new HttpError('invalid_json', undefined, { cause: error });
  }
  if (ctx.request.body === undefined && ctx.is('json', '+json') === false) {
    throw new HttpError('invalid_json', 'Send the body as JSON, with Content-Type: application/json');
  }
  return ctx.request.body ?? {};
}
