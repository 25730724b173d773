import {
  callWithRetries,
  createHttpClient,
  type HttpClient,
  type Reply,
  type RetriedReply,
} from '../dev/kept-http-client.ts';
import { freePort } from '../src/process/free-port.ts';
import { newLp, newUnlimitedAgent } from '../test/support/actors.ts';
import { seed } from './alternatives/seed.ts';
import { SHIPPED_FLAGS, startCorridorProcess } from './corridor.ts';
import { newDatabase } from './databases.ts';
import { type RunningProcess, startProcess } from './processes.ts';
import type { BenchServers } from './servers.ts';

/** A live order: its id, and the amount that its payer owes. */
export interface BenchOrder {
  id: number;
  owed: number;
}

/** A measured service in its own process on its own database, with its agent and LPs. Its callers retry after a 503. */
export interface Subject {
  name: string;
  pid: number;
  /** The number of LPs. Each is identified by its index. */
  lps: number;
  /** The URL gets the order's webhooks. */
  pay: (callbackUrl?: string) => Promise<BenchOrder>;
  claim: (order: BenchOrder, lp: number) => Promise<RetriedReply>;
  fiatSent: (order: BenchOrder, lp: number) => Promise<RetriedReply>;
  confirm: (order: BenchOrder) => Promise<RetriedReply>;
  /** Pays the LP that claimed the order, and settles with that transaction. Only the settlement is timed. */
  settle: (order: BenchOrder, lp: number) => Promise<RetriedReply>;
  status: (order: BenchOrder) => Promise<RetriedReply>;
  stop: () => Promise<void>;
}

const LPS = 64;
const PRICE_USD = 10;
/** Enough for all orders of a run at the same time. */
const COLLATERAL_USD = 100_000_000;

export const SUBJECTS = [
  'corridor',
  'naive-temporal',
  'naive-same-work',
  'temporal-updates',
  'dbos',
  'postgres-only',
] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export const startSubject = (name: SubjectName, servers: BenchServers): Promise<Subject> =>
  name === 'corridor' ? startCorridor(servers) : startAlternative(name, servers);

async function startCorridor(servers: BenchServers): Promise<Subject> {
  const { process, port, callers } = await startCorridorProcess(servers);
  const agent = await newUnlimitedAgent(callers);
  const lps: { key: string; address: string }[] = [];
  while (lps.length < LPS) lps.push(await newLp(callers, { collateral: COLLATERAL_USD }));
  const http = createHttpClient(port);
  const body = {
    ...{ amount: PRICE_USD * 129.5, currency: 'KES', recipient: '+254700123456', user_id: agent.userId },
  };
  return subject('corridor', http, process, {
    agentKey: agent.key,
    lpKeys: lps.map(({ key }) => key),
    payment: body,
    owed: (paid) => paid.crypto_required.amount,
    transaction: (amount, lp) => ({ chain: 'trx', symbol: 'usdt', to: lps[lp]?.address, amount }),
  });
}

async function startAlternative(name: SubjectName, servers: BenchServers): Promise<Subject> {
  const port = await freePort();
  const databaseUrl = await newDatabase(servers.databaseUrl);
  const actors = await seed(databaseUrl, LPS, String(COLLATERAL_USD));
  const env = {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
  };
  const process = await startProcess([...SHIPPED_FLAGS, 'bench/alternatives/main.ts', name], env, /^ready$/m);
  return subject(name, createHttpClient(port), process, {
    agentKey: actors.agentKey,
    lpKeys: actors.lps.map(({ key }) => key),
    payment: { amount_usd: PRICE_USD },
    owed: () => PRICE_USD,
    transaction: (amount) => ({ amount }),
  });
}

/** The differences between the HTTP APIs of the subjects. */
interface SubjectApi {
  agentKey: string;
  lpKeys: string[];
  payment: object;
  owed: (paid: Reply['body']) => number;
  transaction: (amount: number, lp: number) => object;
}

function subject(
  name: string,
  { call: once, close }: HttpClient,
  process: RunningProcess,
  { agentKey, lpKeys, payment, owed, transaction }: SubjectApi,
): Subject {
  const call = (...what: Parameters<HttpClient['call']>) => callWithRetries(() => once(...what));
  const byLp = (verb: string) => (order: BenchOrder, lp: number) =>
    call('POST', `/api/orders/${order.id}/${verb}`, lpKeys[lp], {});
  return {
    name,
    pid: process.pid,
    lps: lpKeys.length,
    pay: async (callbackUrl) => {
      const asked = callbackUrl === undefined ? payment : { ...payment, callback_url: callbackUrl };
      const { body } = must(201, await call('POST', '/api/v1/pay', agentKey, asked));
      return { id: body.order_id, owed: owed(body) };
    },
    claim: byLp('claim'),
    fiatSent: byLp('fiat-sent'),
    confirm: ({ id }) => call('POST', `/api/v1/confirm/${id}`, agentKey, {}),
    settle: async ({ id, owed }, lp) => {
      const made = await call('POST', '/sandbox/transactions', undefined, transaction(owed, lp));
      return call('POST', `/api/v1/settle/${id}`, agentKey, { tx_hash: must(201, made).body.tx_hash });
    },
    status: ({ id }) => call('GET', `/api/v1/status/${id}`, agentKey),
    stop: async () => {
      close();
      await process.stop();
    },
  };
}

export function must(status: number, reply: Reply): Reply {
  if (reply.status === status) return reply;
  throw new Error(`expected ${status}, got ${reply.status}: ${JSON.stringify(reply.body)}`);
}
