import pg from 'pg';
import { createHttpClient, type Reply } from '../../dev/kept-http-client.ts';
import { ADMIN_KEY } from '../corridor.ts';
import { must } from '../subjects.ts';
import type { Actors } from './actors.ts';
import type { Installation, RunningPart } from './corridor.ts';
import { NEWCOMERS } from './seeding.ts';
import { listen, type Message } from './socket.ts';
import { type OrderTimes, wholeOrder } from './whole-order.ts';

/** A database of one size, with the ids and keys that the measures use. */
export interface Grown {
  /** Ended orders before the first measurement. */
  size: number;
  installation: Installation;
  actors: Actors;
  samples: Samples;
}

/** The subjects of the reads, looked up before any timing. */
interface Samples {
  /** Orders of all ages, with the keys of their agents. */
  orders: { id: number; key: string }[];
  /** An order id of the busiest agent with nine tenths of its orders before it. */
  deep: number;
  /** ISO 8601; one tenth of all orders is older. */
  longAgo: { from: string; to: string };
  /** The cursor 500 events before the one that opened `newest`, which is still open. */
  cursor: string;
  newest: number;
}

/** Milliseconds of every call, by measure. */
export type Timings = Record<string, number[]>;

const SAMPLES = `
  with busiest as (select agent_key_id as id from orders group by 1 order by count(*) desc limit 1),
  newest as (
    select e.xid, e.order_id, e.seq from order_event e join orders o on o.id = e.order_id and e.seq = o.version
    where o.status = 'matched' order by e.xid desc limit 1
  )
  select
    array(select id::int from orders where id <= $1 and id % greatest(1, $1 / 400) = 0 order by id) as ids,
    array(select agent_key_id::int from orders where id <= $1 and id % greatest(1, $1 / 400) = 0 order by id) as agents,
    (select percentile_disc(0.1) within group (order by o.id)::int from orders o, busiest b where o.agent_key_id = b.id) as deep,
    (select created_at from orders where id = 1 + $1 / 10) as until,
    (select order_id::int from newest) as newest,
    (select e.xid || '.' || e.order_id || '.' || e.seq from order_event e, newest n
     where (e.xid, e.order_id, e.seq) < (n.xid, n.order_id, n.seq)
     order by e.xid desc, e.order_id desc, e.seq desc offset 499 limit 1) as cursor`;

const HOUR_MS = 3_600_000;

export async function samplesOf(databaseUrl: string, size: number, { agents }: Actors): Promise<Samples> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query(SAMPLES, [size]);
    const [row] = rows;
    const keyOf = new Map(agents.map(({ id, key }) => [id, key]));
    const longAgo = row.until.getTime();
    return {
      orders: row.ids.map((id: number, i: number) => ({ id, key: keyOf.get(row.agents[i]) })),
      deep: row.deep,
      longAgo: { from: new Date(longAgo - HOUR_MS).toISOString(), to: new Date(longAgo).toISOString() },
      cursor: row.cursor,
      newest: row.newest,
    };
  } finally {
    await client.end();
  }
}

type Get = (path: string, key?: string) => Promise<Reply>;

/** A measured read. The first call of each is not counted. */
interface Read {
  title: string;
  ask: (get: Get, grown: Grown, n: number) => Promise<Reply>;
}

const at = <T>(all: readonly T[], n: number): T => all[n % all.length] as T;
const busyAgent = ({ actors }: Grown) => at(actors.agents, 0);
const newUnlimitedAgent = ({ actors }: Grown) => at(actors.agents, actors.agents.length - 1);
const busyLp = ({ actors }: Grown) => at(actors.lps, 0);
const newLp = ({ actors }: Grown) => at(actors.lps, actors.lps.length - NEWCOMERS);
const ofOrder =
  (path: (id: number) => string): Read['ask'] =>
  (get, { samples }, n) => {
    // Far from the previous one, so that no read profits from neighbouring rows in a cache.
    const { id, key } = at(samples.orders, n * 173);
    return get(path(id), key);
  };
const byAgent =
  (of: (grown: Grown) => { key: string }, query: (grown: Grown) => string): Read['ask'] =>
  (get, grown) =>
    get(`/api/v1/orders?${query(grown)}`, of(grown).key);
const byAdmin =
  (query: (grown: Grown) => string): Read['ask'] =>
  (get, grown) =>
    get(`/api/admin/orders?${query(grown)}`, ADMIN_KEY);
const byLp =
  (of: (grown: Grown) => { key: string }, path: (grown: Grown) => string): Read['ask'] =>
  (get, grown) => {
    const { key } = of(grown);
    return get(`/api/lp/${key}/${path(grown)}`, key);
  };
const longAgo = ({ samples }: Grown) =>
  `created_from=${samples.longAgo.from}&created_to=${samples.longAgo.to}`;

export const READS: Record<string, Read> = {
  status: { title: 'status of an order, of any age', ask: ofOrder((id) => `/api/v1/status/${id}`) },
  timeline: {
    title: 'timeline of an order, of any age',
    ask: ofOrder((id) => `/api/v1/orders/${id}/timeline`),
  },
  deliveries: {
    title: 'webhooks of an order, of any age',
    ask: ofOrder((id) => `/api/v1/webhook-deliveries?order_id=${id}`),
  },
  dashboard: { title: 'dashboard, busiest LP', ask: byLp(busyLp, () => 'dashboard') },
  dashboardNew: { title: 'dashboard, LP without orders', ask: byLp(newLp, () => 'dashboard') },
  balance: { title: 'balance, busiest LP', ask: byLp(busyLp, () => 'balance') },
  balanceNew: { title: 'balance, LP without orders', ask: byLp(newLp, () => 'balance') },
  lps: { title: 'list of LPs', ask: (get) => get('/api/lps') },
  agentFirst: { title: 'orders of the busiest agent, first page', ask: byAgent(busyAgent, () => '') },
  agentDeep: {
    title: 'the same, nine tenths down',
    ask: byAgent(busyAgent, ({ samples }) => `cursor=${samples.deep}`),
  },
  agentDisputed: {
    title: 'the same, status=disputed: none',
    ask: byAgent(busyAgent, () => 'status=disputed'),
  },
  agentLongAgo: { title: 'the same, of one hour long ago', ask: byAgent(busyAgent, longAgo) },
  agentNew: { title: 'orders of an agent without any', ask: byAgent(newUnlimitedAgent, () => '') },
  adminFirst: { title: 'admin: all orders, first page', ask: byAdmin(() => '') },
  adminDisputed: { title: 'admin: status=disputed: none', ask: byAdmin(() => 'status=disputed') },
  adminCancelled: { title: 'admin: status=cancelled', ask: byAdmin(() => 'status=cancelled') },
  adminCurrency: { title: 'admin: a currency without orders', ask: byAdmin(() => 'currency=XOF') },
  adminLp: { title: 'admin: an LP without orders', ask: byAdmin((grown) => `lp_id=${newLp(grown).id}`) },
  adminLpStatus: {
    title: 'admin: busiest LP, status=disputed: none',
    ask: byAdmin((grown) => `lp_id=${busyLp(grown).id}&status=disputed`),
  },
  adminLongAgo: { title: 'admin: of one hour long ago', ask: byAdmin(longAgo) },
  streamSince: { title: 'stream, the last minute', ask: byLp(busyLp, () => 'orders/stream') },
  streamCursor: {
    title: 'stream, from a cursor 500 events back',
    ask: byLp(busyLp, ({ samples }) => `orders/stream?cursor=${samples.cursor}`),
  },
  streamStart: {
    title: 'stream, from the very first cursor',
    ask: byLp(busyLp, () => 'orders/stream?cursor=0.0.0'),
  },
};

export const SOCKETS = {
  socketSnapshot: 'socket: to the snapshot',
  socketResume: 'socket: to the end of a resume, 500 events back',
} as const;

export const STEP_TITLES: Record<keyof OrderTimes, string> = {
  pay: 'pay',
  claim: 'claim',
  fiatSent: 'fiat-sent',
  confirm: 'confirm',
  settle: 'settle',
  completed: 'from settle to completed',
};

/** The number of calls in a round. */
export interface Size {
  orders: number;
  reads: number;
  sockets: number;
}

/** A slow read stops repeating after this time. */
const LONGEST_MS = 6_000;
const AT_LEAST = 3;

/** Runs all measures on an otherwise idle Corridor, one call at a time. */
export async function measure(part: RunningPart, grown: Grown, size: Size): Promise<Timings> {
  const http = createHttpClient(part.port);
  const get: Get = async (path, key) => must(200, await http.call('GET', path, key));
  const timings: Timings = {};
  const note = (name: string, ms: number) => {
    timings[name] = [...(timings[name] ?? []), ms];
  };
  try {
    for (let n = -WARM_UP; n < size.orders; n++) {
      const agent = at(grown.actors.agents.slice(0, -NEWCOMERS), n + WARM_UP);
      const lp = at(grown.actors.lps.slice(0, -NEWCOMERS), n + WARM_UP);
      const { orderId: _, ...times } = await wholeOrder({ agent, lp, http: () => http });
      if (n >= 0) for (const [name, ms] of Object.entries(times)) note(name, ms);
    }
    for (const [name, { ask }] of Object.entries(READS)) {
      await ask(get, grown, 0);
      const until = performance.now() + LONGEST_MS;
      for (let n = 1; n <= size.reads && (n <= AT_LEAST || performance.now() < until); n++)
        note(name, (await ask(get, grown, n)).ms);
    }
    const { key } = busyLp(grown);
    const { cursor, newest } = grown.samples;
    for (let n = 0; n <= size.sockets; n++) {
      const snapshot = await listen(part.port, key, ({ type }) => type === 'snapshot');
      const isNewest = ({ type, order }: Message) => type === 'order.open' && order?.id === newest;
      const resumed = await listen(part.port, key, isNewest, cursor);
      if (n === 0) continue;
      note('socketSnapshot', snapshot);
      note('socketResume', resumed);
    }
    return timings;
  } finally {
    http.close();
  }
}

const WARM_UP = 8;
/** The title of every measure, in table order. */
export const TITLES: Record<string, string> = {
  ...STEP_TITLES,
  ...Object.fromEntries(Object.entries(READS).map(([name, { title }]) => [name, title])),
  ...SOCKETS,
};
