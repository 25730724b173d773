import { batched } from '../../db/batched.ts';
import { AgentKey } from '../../db/entities/agent-key.ts';
import { Lp } from '../../db/entities/lp.ts';
import { Order } from '../../db/entities/order.ts';
import { columnsOf, ENTITY_TYPES } from '../../db/entity-columns.ts';
import type { Database } from '../../db/orm.ts';
import { hasSecret } from './has-secret.ts';
import { fullWindow } from './rate-window.ts';

/** The look-ups of one request. Null: skip this look-up. */
export interface CallerQuery {
  /** The window that counts the failed keys of the client address: see `auth-failures.ts`. */
  failureWindow: string | null;
  /** Hash of a key that may be an agent's. */
  agentHash: Buffer | null;
  /** Hash of a key that may be an LP's. */
  lpHash: Buffer | null;
  orderId: number | null;
}

/** An authenticated agent or LP, without the hashes of its keys. */
export type KnownAgent = Omit<AgentKey, 'key_hash' | 'previous_key_hash' | 'older_key_hash'>;
export type KnownLp = Omit<Lp, 'key_hash' | 'previous_key_hash' | 'older_key_hash'>;

/** The rows that the query found. */
export interface FoundCaller {
  /** Seconds until the client address may try keys again; null: it is not blocked. */
  blockedForSeconds: number | null;
  /** The active, unexpired agent key with this secret: the present secret, or one whose rotation overlap has not ended. */
  agent: KnownAgent | null;
  lp: KnownLp | null;
  /** The order with this id, of any agent. */
  order: Order | null;
}

export type FindCaller = (query: CallerQuery) => Promise<FoundCaller>;

const EMPTY_QUERY: CallerQuery = { failureWindow: null, agentHash: null, lpHash: null, orderId: null };
const NOTHING_FOUND: FoundCaller = { blockedForSeconds: null, agent: null, lp: null, order: null };

/** How many requests one statement may serve. A batch uses the smallest size that fits. */
const BATCH_SIZES = [1, 2, 4, 8, 16] as const;
const LARGEST_BATCH = 16;

const AGENT = columnsOf(AgentKey, 'agent', ['key_hash', 'previous_key_hash', 'older_key_hash']);
const LP = columnsOf(Lp, 'lp', ['key_hash', 'previous_key_hash', 'older_key_hash']);
const ORDER = columnsOf(Order, 'named');
/** Where each entity's columns begin in a result row; the first two columns are `place` and `wait`. */
const AGENT_AT = 2;
const LP_AT = AGENT_AT + AGENT.count;
const ORDER_AT = LP_AT + LP.count;

/**
 * The lateral joins with `limit` make the planner use each table's index once per request, instead of joining whole
 * tables. The database's clock sets the end of a rotation overlap, so the database also checks it.
 */
const statementFor = (size: number) => `
  select asked.place, failures.wait, ${AGENT.list}, ${LP.list}, ${ORDER.list}
  from (values ${Array.from({ length: size }, (_, i) => valuesAt(i)).join(', ')})
    asked (place, failures, agent_hash, lp_hash, order_id)
  left join lateral (${fullWindow('asked.failures', '$1', '$2')} limit 1) failures on true
  left join lateral (
    select * from agent_key k
    where ${hasSecret('k', 'asked.agent_hash')} and k.is_active and (k.expires_at is null or k.expires_at > now())
    limit 1
  ) agent on true
  left join lateral (select * from lp k where ${hasSecret('k', 'asked.lp_hash')} limit 1) lp on true
  left join lateral (select * from orders where id = asked.order_id limit 1) named on true`;

const valuesAt = (i: number) => {
  const at = 3 + 4 * i;
  return `(${i}, $${at}::text, $${at + 1}::bytea, $${at + 2}::bytea, $${at + 3}::bigint)`;
};

const STATEMENTS = BATCH_SIZES.map((size) => ({ size, name: `callers-${size}`, text: statementFor(size) }));

const LP_BY_KEY = `select k.id from lp k where ${hasSecret('k', '$1::bytea')}`;

/** The id of the LP whose secret has this hash; undefined: there is none. */
export async function findLpIdByKey(db: Database, keyHash: Buffer): Promise<number | undefined> {
  const [lp] = await db.query<{ id: number }>('lp-by-key', LP_BY_KEY, [keyHash]);
  return lp?.id;
}

/**
 * Returns a function that finds the caller of a request and the order that its path names. Requests that arrive
 * together share one statement. `maxFailures`: failed keys of one address within `windowSeconds`.
 */
export function createFindCaller(db: Database, maxFailures: number, windowSeconds: number): FindCaller {
  const window = `${windowSeconds} seconds`;
  const findBatch = batched(async (queries: CallerQuery[]) => {
    const statement = STATEMENTS.find(({ size }) => size >= queries.length) as (typeof STATEMENTS)[number];
    const values: unknown[] = [maxFailures, window];
    for (let i = 0; i < statement.size; i++) {
      const { failureWindow, agentHash, lpHash, orderId } = queries[i] ?? EMPTY_QUERY;
      values.push(failureWindow, agentHash, lpHash, orderId);
    }
    const { name, text } = statement;
    const found = new Array<FoundCaller>(queries.length);
    const { rows } = await db.pool.query<unknown[]>({
      name,
      text,
      values,
      rowMode: 'array',
      types: ENTITY_TYPES,
    });
    for (const row of rows) {
      const [place, wait] = row as [number, number | null];
      // The statement also returns a row for each unused place of the batch.
      if (place >= queries.length) continue;
      found[place] = {
        blockedForSeconds: wait,
        agent: AGENT.read(row, AGENT_AT),
        lp: LP.read(row, LP_AT),
        order: ORDER.read(row, ORDER_AT),
      };
    }
    return found;
  }, LARGEST_BATCH);
  return async (query) =>
    Object.values(query).some((value) => value !== null)
      ? db.asStatement('callers', () => findBatch(query))
      : NOTHING_FOUND;
}
