import { freePort } from '../src/embedded/free-port.ts';
import { newAgent, newLp } from '../test/support/actors.ts';
import { seed } from './contestants/seed.ts';
import { startCorridorProcess } from './corridor.ts';
import { newDatabase } from './databases.ts';
import { createHttpClient, type HttpClient, type PatientReply, patiently, type Reply } from './http.ts';
import { startProcess } from './processes.ts';
import type { BenchServers } from './servers.ts';

/** An order under way: its number, and what its payer owes. */
export interface BenchOrder {
  id: number;
  owed: number;
}

/** A service under measure, whose callers are patient, in a process of its own on a database of its own, with those who use it. */
export interface Subject {
  name: string;
  /** LPs are told by their place, from 0 to this, without it. */
  lps: number;
  pay: () => Promise<BenchOrder>;
  claim: (order: BenchOrder, lp: number) => Promise<PatientReply>;
  fiatSent: (order: BenchOrder, lp: number) => Promise<PatientReply>;
  confirm: (order: BenchOrder) => Promise<PatientReply>;
  /** Makes the transaction to the LP that has claimed the order, and settles with it. Timed without the first. */
  settle: (order: BenchOrder, lp: number) => Promise<PatientReply>;
  status: (order: BenchOrder) => Promise<PatientReply>;
  stop: () => Promise<void>;
}

const LPS = 64;
const PRICE_USD = 10;
/** Enough for every order of a run at once. */
const COLLATERAL_USD = 100_000_000;

export const SUBJECTS = ['corridor', 'naive-temporal', 'temporal-updates', 'dbos', 'postgres-only'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export const startSubject = (name: SubjectName, servers: BenchServers): Promise<Subject> =>
  name === 'corridor' ? startCorridor(servers) : startContestant(name, servers);

async function startCorridor(servers: BenchServers): Promise<Subject> {
  const { process, port, actors } = await startCorridorProcess(servers);
  const agent = await newAgent(actors);
  const lps: { key: string; address: string }[] = [];
  while (lps.length < LPS) lps.push(await newLp(actors, { collateral: COLLATERAL_USD }));
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

async function startContestant(name: SubjectName, servers: BenchServers): Promise<Subject> {
  const port = await freePort();
  const databaseUrl = await newDatabase(servers.databaseUrl);
  const cast = await seed(databaseUrl, LPS, String(COLLATERAL_USD));
  const env = {
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    TEMPORAL_ADDRESS: servers.temporalAddress,
  };
  const process = await startProcess(['bench/contestants/main.ts', name], env, /^ready$/m);
  return subject(name, createHttpClient(port), process, {
    agentKey: cast.agentKey,
    lpKeys: cast.lps.map(({ key }) => key),
    payment: { amount_usd: PRICE_USD },
    owed: () => PRICE_USD,
    transaction: (amount) => ({ amount }),
  });
}

interface Ways {
  agentKey: string;
  lpKeys: string[];
  payment: object;
  owed: (paid: Reply['body']) => number;
  transaction: (amount: number, lp: number) => object;
}

function subject(
  name: string,
  { call: once, close }: HttpClient,
  process: { stop: () => Promise<void> },
  { agentKey, lpKeys, payment, owed, transaction }: Ways,
): Subject {
  const call = (...what: Parameters<HttpClient['call']>) => patiently(() => once(...what));
  const byLp = (verb: string) => (order: BenchOrder, lp: number) =>
    call('POST', `/api/orders/${order.id}/${verb}`, lpKeys[lp], {});
  return {
    name,
    lps: lpKeys.length,
    pay: async () => {
      const { body } = must(201, await call('POST', '/api/v1/pay', agentKey, payment));
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
  throw new Error(`expected ${status}, was answered ${reply.status}: ${JSON.stringify(reply.body)}`);
}
