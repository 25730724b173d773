import { freePort } from '../../src/process/free-port.ts';
import { startApiProcess } from '../corridor.ts';
import { percentile } from '../figures.ts';
import { type RunningProcess, startProcess } from '../processes.ts';
import type { Usage } from '../usage.ts';
import type { Event, Request } from './committer.ts';
import { latencies } from './latencies.ts';
import { type Market, openMarket } from './market.ts';
import { machineMs } from './pace.ts';
import { inTurn, type Surroundings } from './part.ts';
import { openSockets, type Sockets } from './sockets.ts';

/** Figures over all events at all sockets. */
export interface DeliveryFigures {
  corridor: Deliveries;
  /** A server that frames each message once and writes it to all sockets. */
  bare: Deliveries;
}

export interface Deliveries {
  /** Milliseconds from the commit (bare server: from the publication) to the client. */
  p50: number;
  p99: number;
  /** CPU of the serving process per message and socket, µs. */
  cpu: number;
}

const LPS = 100;
/** The maximum per LP. */
const SOCKETS_PER_LP = 5;
const SOCKETS = LPS * SOCKETS_PER_LP;
const PER_SECOND = 100;
/** Not counted. */
const WARM_EVENTS = 50;

/** A message as long as those of the feed. `ID` stands for the order's id. */
const MESSAGE = `{"type":"order.open","cursor":"1234567.123456.1","order":{"id":ID,"status":"matched","amount_fiat":6475,"currency":"KES","amount_usd":50,"crypto_symbol":"usdt","crypto_chain":"trx","amount_crypto":50.25,"collateral_required":37.5,"est_profit_usd":0.12,"expires_at":"2026-01-01T00:00:00.000Z","created_at":"2026-01-01T00:00:00.000Z"}}`;

/** Creates orders at an even pace, which every LP may claim. All clients run in this process. */
export async function measureDelivery(surroundings: Surroundings): Promise<DeliveryFigures> {
  const { servers, cleanup, round } = surroundings;
  const market = await openMarket(servers, LPS);
  const env = { DATABASE_URL: market.databaseUrl };
  const committer = await startProcess(['bench/parts/committer.ts'], env, /^ready$/m);
  cleanup.add(committer.stop);
  const sides = {
    corridor: () => corridor(surroundings, market, committer),
    bare: () => bare(surroundings, committer),
  };
  try {
    const found: Partial<DeliveryFigures> = {};
    for (const side of inTurn(['corridor', 'bare'] as const, round)) found[side] = await sides[side]();
    return found as DeliveryFigures;
  } finally {
    await committer.stop();
  }
}

async function corridor({ servers, cleanup, size }: Surroundings, market: Market, committer: RunningProcess) {
  const api = await startApiProcess(market.databaseUrl, servers.temporalAddress);
  cleanup.add(api.process.stop);
  const lps = market.lps.map(({ id }) => id);
  const paths = market.lps.flatMap(({ key }) => Array(SOCKETS_PER_LP).fill(`/ws/orders?lp_key=${key}`));
  const ask = (count: number) =>
    committer.ask<Event[]>({ kind: 'creations', count, perSecond: PER_SECOND, lps } satisfies Request);
  return deliveries(api, paths, size.deliverySeconds * PER_SECOND, ask);
}

async function bare({ cleanup, size }: Surroundings, committer: RunningProcess) {
  const port = await freePort();
  const file = 'bench/parts/bare-broadcast.ts';
  const process = await startProcess(
    ['--import', './bench/usage.ts', file],
    { PORT: String(port) },
    /^ready$/m,
  );
  cleanup.add(process.stop);
  const server = { port, process, usage: () => process.ask<Usage>('usage') };
  const ask = (count: number) => {
    const pace = { count, perSecond: PER_SECOND };
    return committer.ask<Event[]>({ kind: 'publications', port, text: MESSAGE, ...pace } satisfies Request);
  };
  return deliveries(server, Array(SOCKETS).fill('/'), size.deliverySeconds * PER_SECOND, ask);
}

interface SocketServer {
  port: number;
  process: RunningProcess;
  usage: () => Promise<Usage>;
}

/** Triggers `count` events, and stops the server once every socket has received all of them. */
async function deliveries(
  { port, process, usage }: SocketServer,
  paths: string[],
  count: number,
  happen: (count: number) => Promise<Event[]>,
): Promise<Deliveries> {
  let received: { id: number; at: number }[] = [];
  let opened: Sockets | undefined;
  try {
    const sockets = await openSockets(port, paths, /^{"type":"snapshot"/, (text) => {
      const at = machineMs();
      received.push({ id: openedId(text), at });
    });
    opened = sockets;
    const happened = async (events: number) => {
      received = [];
      const all = await happen(events);
      await sockets.until(() => received.length >= events * paths.length);
      return all;
    };
    await happened(WARM_EVENTS);
    const before = await usage();
    const events = await happened(count);
    const { cpuMs } = await usage();
    const took = latencies(events, received, paths.length);
    return {
      p50: percentile(took, 50),
      p99: percentile(took, 99),
      cpu: ((cpuMs - before.cpuMs) * 1_000) / received.length,
    };
  } finally {
    await opened?.close();
    await process.stop();
  }
}

function openedId(text: string): number {
  const [, id] = /^{"type":"order.open","cursor":"[^"]*","order":{"id":(\d+)/.exec(text) ?? [];
  if (id === undefined) throw new Error(`Unexpected message: ${text}`);
  return Number(id);
}
