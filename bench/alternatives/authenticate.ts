import type { Context, Middleware } from 'koa';
import type pg from 'pg';
import { hashKey } from '../../src/http/access/keys.ts';

/** The caller: an LP with its id, or the agent. */
export type Caller = { lpId: number } | 'agent';

/** Looks up the bearer key by its hash, one read per request, and answers 401 if it is unknown. */
export const authenticate =
  (pool: pg.Pool): Middleware =>
  async (ctx: Context, next) => {
    const [, key] = /^Bearer (\S+)$/i.exec(ctx.get('authorization')) ?? [];
    ctx.state.caller = key && (await callerOf(pool, key));
    if (!ctx.state.caller) {
      ctx.status = 401;
      ctx.body = { error: 'Unauthorized' };
      return;
    }
    await next();
  };

async function callerOf(pool: pg.Pool, key: string): Promise<Caller | undefined> {
  const { rows } = await pool.query<{ lp_id: string | null }>({
    name: 'bench-key',
    text: 'select lp_id from bench_key where key_hash = $1',
    values: [hashKey(key)],
  });
  if (!rows[0]) return undefined;
  return rows[0].lp_id === null ? 'agent' : { lpId: Number(rows[0].lp_id) };
}
