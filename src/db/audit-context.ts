import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

/** On whose behalf the statements of a request run. The database writes it into each audit event that they cause. */
export interface AuditContext {
  /** `admin:3`, `admin:root`, `lp:7`, or `stranger` for a caller without a key. */
  actor: string;
  name?: string;
  role?: string;
  address: string | null;
  requestId: string;
  /** The method and the route. */
  action: string;
  reason?: string;
}

const contexts = new AsyncLocalStorage<string>();

/** Runs the work of one request: each statement in it, by the ORM or by hand, is on behalf of the actor. */
export const onBehalfOf = <T>(context: AuditContext, work: () => Promise<T>): Promise<T> =>
  contexts.run(JSON.stringify(context), work);

/** Runs a part of a request whose audit events say why. */
export function withReason<T>(reason: string | undefined, work: () => Promise<T>): Promise<T> {
  const context = contexts.getStore();
  if (reason === undefined || context === undefined) return work();
  return onBehalfOf({ ...(JSON.parse(context) as AuditContext), reason }, work);
}

/** The context that each connection has now; none: the empty text. */
const CURRENT = new WeakMap<pg.ClientBase, string>();

const SET = { name: 'audit-context', text: `select set_config('corridor.audit', $1, false)` };

/**
 * Makes each connection carry the context of the work that takes it from the pool. Everything takes its connections with
 * `connect`, also the ORM and `pool.query`. Without a context on either side this costs no statement.
 */
export function carryAuditContext(pool: pg.Pool): void {
  const connect = pool.connect.bind(pool);
  const take = async (): Promise<pg.PoolClient> => {
    const client = await connect();
    const wanted = contexts.getStore() ?? '';
    if ((CURRENT.get(client) ?? '') === wanted) return client;
    try {
      await client.query({ ...SET, values: [wanted] });
      CURRENT.set(client, wanted);
      return client;
    } catch (error) {
      // Its context is unknown now, so nobody may have it again.
      client.release(true);
      throw error;
    }
  };
  type Callback = (
    error: Error | undefined,
    client: pg.PoolClient | undefined,
    done: (release?: unknown) => void,
  ) => void;
  pool.connect = ((callback?: Callback) => {
    if (!callback) return take();
    take().then(
      (client) => callback(undefined, client, (release) => client.release(release as Error)),
      (error) => callback(error, undefined, () => undefined),
    );
  }) as typeof pool.connect;
}
