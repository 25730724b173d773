import type { Context } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { errorResponse } from '../../http/error-responses.ts';
import type { AnyReply, FileReply, Route } from '../route.ts';

/** Writes the reply of a handler into the response. */
export function respond(ctx: Context, route: Route, reply: AnyReply): void {
  ctx.status = reply.status;
  if (reply.cookie) ctx.append('set-cookie', reply.cookie);
  // A readiness check that fails has the same headers as a refusal, such as `X-Error-Code`.
  if (reply.status === 503) ctx.set(errorResponse(new DomainError('unavailable')).headers);
  if (reply.status === route.replays) ctx.set('idempotent-replayed', 'true');
  if ('file' in reply) attach(ctx, reply.file);
  else if ('text' in reply) {
    ctx.type = reply.text.type;
    ctx.body = reply.text.content;
  } else ctx.body = reply.body;
}

function attach(ctx: Context, { content, type, size, name }: FileReply): void {
  ctx.body = content;
  ctx.type = type;
  if (size !== null) ctx.length = size;
  ctx.set({
    'content-disposition': `attachment; filename="${name}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-store',
  });
}
