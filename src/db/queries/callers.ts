import { AgentKey } from '../entities/agent-key.ts';
import { Lp } from '../entities/lp.ts';
import { Order } from '../entities/order.ts';
import { columnsOf, ENTITY_TYPES } from '../entity-columns.ts';
import { gathered } from '../gathered.ts';
import type { Database } from '../orm.ts';
import { fullWindow } from './rate-window.ts';

/** What a request wants to be known before it is served. Null: nothing of the kind. */
export interface Inquiry {
  /** The window that counts the failures of its address, see `auth-failures.ts`. */
  failures: string | null;
  /** Hash of the key that may be an agent's. */
  agentHash: Buffer | null;
  /** Hash of the key that may be an LP's. */
  lpHash: Buffer | null;
  orderId: number | null;
}

/** Who has been told by a key, without its hash. */
export type KnownAgent = Omit<AgentKey, 'key_hash' | 'previous_key_hash' | 'older_key_hash'>;
export type KnownLp = Omit<Lp, 'key_hash' | 'previous_key_hash' | 'older_key_hash'>;

/** What there is of it. */
export interface Findings {
  /** Seconds until the address may try keys again; null: it may. */
  refusedFor: number | null;
  /** The active one with this secret: its own, or one that rotations replaced a short while ago. */
  agent: KnownAgent | null;
  lp: KnownLp | null;
  /** Anybody's. */
  order: Order | null;
}

const NOBODY: Inquiry = { failures: null, agentHash: null, lpHash: null, orderId: null };

/** How many requests one statement serves; the next larger size is taken. */
const SIZES = [1, 2, 4, 8, 16] as const;
const MOST = 16;

const AGENT = columnsOf(AgentKey, 'agent', ['key_hash', 'previous_key_hash', 'older_key_hash']);
const LP = columnsOf(Lp, 'lp', ['key_hash', 'previous_key_hash', 'older_key_hash']);
const ORDER = columnsOf(Order, 'named');
/** Places of the columns; before them are the request's own and the window's. */
const AGENT_AT = 2;
const LP_AT = AGENT_AT + AGENT.count;
const ORDER_AT = LP_AT + LP.count;

/** Whether a row's secret has this hash: its own, or one that rotations replaced and whose overlap goes on. */
const hasSecret = (row: string, hash: string) => `
  (${row}.key_hash = ${hash} or ${row}.previous_key_hash = ${hash} and ${row}.previous_expires_at > now()
    or ${row}.older_key_hash = ${hash} and ${row}.older_expires_at > now())`;

/**
 * Each table is looked into by its index for each request, however many they are (`limit` keeps the planner from
 * joining whole tables). The database's clock sets the end of a rotation's overlap, and so it is the one that is asked.
 */
const callersOf = (size: number) => `
  select asked.place, failures.wait, ${AGENT.list}, ${LP.list}, ${ORDER.list}
  from (values ${Array.from({ length: size }, (_, i) => request(i)).join(', ')})
    asked (place, failures, agent_hash, lp_hash, order_id)
  left join lateral (${fullWindow('asked.failures', '$1', '$2')} limit 1) failures on true
  left join lateral (
    select * from agent_key k
    where ${hasSecret('k', 'asked.agent_hash')} and k.is_active
    limit 1
  ) agent on true
  left join lateral (select * from lp k where ${hasSecret('k', 'asked.lp_hash')} limit 1) lp on true
  left join lateral (select * from orders where id = asked.order_id limit 1) named on true`;

const request = (i: number) => {
  const at = 3 + 4 * i;
  return `(${i}, $${at}::text, $${at + 1}::bytea, $${at + 2}::bytea, $${at + 3}::bigint)`;
};

const STATEMENTS = SIZES.map((size) => ({ size, name: `callers-${size}`, text: callersOf(size) }));

const LP_BY_KEY = `select k.id from lp k where ${hasSecret('k', '$1::bytea')}`;

/** The LP whose secret has this hash, for who asks for nothing else. */
export async function lpIdOf(db: Database, keyHash: Buffer): Promise<number | undefined> {
  const [lp] = await db.query<{ id: number }>('lp-by-key', LP_BY_KEY, [keyHash]);
  return lp?.id;
}

/**
 * Gives what asks who calls, and for which order: one statement for all who come in together.
 * `limit`: failures of an address within `windowSeconds`.
 */
export function createInquiries(
  db: Database,
  limit: number,
  windowSeconds: number,
): (inquiry: Inquiry) => Promise<Findings> {
  const window = `${windowSeconds} seconds`;
  const nothing: Findings = { refusedFor: null, agent: null, lp: null, order: null };
  const ask = gathered(async (inquiries: Inquiry[]) => {
    const statement = STATEMENTS.find(({ size }) => size >= inquiries.length) as (typeof STATEMENTS)[number];
    const values: unknown[] = [limit, window];
    for (let i = 0; i < statement.size; i++) {
      const { failures, agentHash, lpHash, orderId } = inquiries[i] ?? NOBODY;
      values.push(failures, agentHash, lpHash, orderId);
    }
    const { name, text } = statement;
    const found = new Array<Findings>(inquiries.length);
    const { rows } = await db.pool.query<unknown[]>({
      name,
      text,
      values,
      rowMode: 'array',
      types: ENTITY_TYPES,
    });
    for (const row of rows) {
      const [place, wait] = row as [number, number | null];
      // Places that nobody has taken are asked for as well, and found empty.
      if (place >= inquiries.length) continue;
      found[place] = {
        refusedFor: wait,
        agent: AGENT.read(row, AGENT_AT),
        lp: LP.read(row, LP_AT),
        order: ORDER.read(row, ORDER_AT),
      };
    }
    return found;
  }, MOST);
  return async (inquiry) =>
    Object.values(inquiry).some((asked) => asked !== null)
      ? db.asStatement('callers', () => ask(inquiry))
      : nothing;
}
