import { randomBytes } from 'node:crypto';
import { Router } from '@koa/router';
import Koa, { type Context } from 'koa';
import { koaBody } from 'koa-body';
import type pg from 'pg';
import { decimal, SCALE, toPlain } from '../../src/domain/money.ts';
import { authenticate, type Caller } from './authenticate.ts';
import type { Answer } from './changes.ts';
import type { Engine } from './engine.ts';
import { insertTransaction } from './schema.ts';

/**
 * The HTTP layer that all alternatives share, with Corridor's paths. As in Corridor, 409 is a refusal, and 503 leaves
 * open whether the change took effect.
 */
export function createShop(engine: Engine, pool: pg.Pool): Koa {
  const router = new Router();

  router.post('/sandbox/transactions', async (ctx) => {
    const txHash = randomBytes(32).toString('hex');
    await insertTransaction(pool, txHash, usd(ctx, 'amount'));
    reply(ctx, 201, { tx_hash: txHash });
  });

  router.use(authenticate(pool));
  router.post('/api/v1/pay', async (ctx) => {
    onlyAgent(ctx);
    reply(ctx, 201, { order_id: await engine.create(usd(ctx, 'amount_usd'), callbackUrl(ctx)) });
  });
  router.post('/api/orders/:id/claim', async (ctx) =>
    answer(ctx, 'claimed', await engine.claim(orderId(ctx), onlyLp(ctx))),
  );
  router.post('/api/orders/:id/fiat-sent', async (ctx) =>
    answer(ctx, 'fiat_sent', await engine.fiatSent(orderId(ctx), onlyLp(ctx))),
  );
  router.post('/api/v1/confirm/:id', async (ctx) => {
    onlyAgent(ctx);
    answer(ctx, 'confirmed', await engine.confirm(orderId(ctx)));
  });
  router.post('/api/v1/settle/:id', async (ctx) => {
    onlyAgent(ctx);
    answer(ctx, 'crypto_verify_pending', await engine.settle(orderId(ctx), txHash(ctx)));
  });
  router.get('/api/v1/status/:id', async (ctx) => {
    const status = await engine.status(orderId(ctx));
    if (status === undefined) ctx.throw(404, 'Not found');
    reply(ctx, 200, { order_id: orderId(ctx), status });
  });

  const app = new Koa();
  app.use(async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const { status, message } = error as { status?: number; message: string };
      if (!status) console.error(error);
      reply(ctx, status ?? 503, { error: status ? message : 'Try again later' });
    }
  });
  app.use(koaBody({ json: true, jsonLimit: '64kb', urlencoded: false, text: false, multipart: false }));
  app.use(router.routes());
  return app;
}

function reply(ctx: Context, status: number, body: object): void {
  ctx.status = status;
  ctx.body = body;
}

function answer(ctx: Context, status: string, given: Answer): void {
  if (given === 'done') reply(ctx, 200, { status });
  else reply(ctx, 409, { error: 'The order cannot do this now' });
}

const onlyAgent = (ctx: Context): void => {
  if (ctx.state.caller !== 'agent') ctx.throw(403, 'For agents');
};

const onlyLp = (ctx: Context): number => {
  const caller: Caller = ctx.state.caller;
  return caller === 'agent' ? ctx.throw(403, 'For LPs') : caller.lpId;
};

function orderId(ctx: Context): number {
  const id = Number(ctx.params.id);
  return Number.isSafeInteger(id) && id > 0 ? id : ctx.throw(404, 'Not found');
}

const fieldOf = (ctx: Context, name: string): unknown =>
  (ctx.request.body as Record<string, unknown> | undefined)?.[name];

/** Reads a JSON number of the body as a decimal string. */
function usd(ctx: Context, field: string): string {
  const value = fieldOf(ctx, field);
  const isAmount = typeof value === 'number' && Number.isFinite(value) && value > 0 && value < 1e9;
  return isAmount
    ? toPlain(decimal(value), SCALE.usd)
    : ctx.throw(400, `${field} must be a number above 0 and below 1e9`);
}

function callbackUrl(ctx: Context): string | null {
  const value = fieldOf(ctx, 'callback_url');
  if (value === undefined) return null;
  return typeof value === 'string' ? value : ctx.throw(400, 'callback_url must be a string');
}

function txHash(ctx: Context): string {
  const value = fieldOf(ctx, 'tx_hash');
  return typeof value === 'string' && value !== ''
    ? value
    : ctx.throw(400, 'tx_hash must be a non-empty string');
}
