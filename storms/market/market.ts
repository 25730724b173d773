import type { Answer } from '../../dev/http-client.ts';
import { registerAgent } from '../../dev/registration.ts';
import { newLp } from '../../test/support/actors.ts';
import type { TestCorridor } from '../../test/support/corridor.ts';
import type { Intruder } from '../../test/support/intruder.ts';
import type { MarketChain } from './chains.ts';
import type { DepositSeen, MarketAgent, MarketLp, OrderSeen, Transfer, View } from './view.ts';

/** A time in which no payment or claim may begin for the subject, by the machine's clock. */
export interface Window {
  what: 'paused' | 'revoked' | 'suspended';
  /** `agent:3`, `lp:7` or `all`. */
  subject: string;
  fromMs: number;
  toMs: number;
}

/** A Corridor with its participants and their actions. */
export interface Market {
  corridor: TestCorridor;
  chain: MarketChain;
  intruder: Intruder;
  agents: MarketAgent[];
  lps: MarketLp[];
  transfers: Transfer[];
  deposits: DepositSeen[];
  /** Descriptions of the confirmations of honest LPs that the service refused. */
  refusedDeposits: string[];
  pause: { id: number; window: Window } | null;
  windows: Window[];
  /** Commands that a party itself sent: order, actor and trigger. */
  attempts: Set<string>;
  /** Orders whose commits the database has lost, or whose workflow somebody has replaced. */
  mayLookLost: Set<number>;
  /** The number of responses by action and status. */
  counts: Map<string, number>;
}

export interface Terms {
  isHonest: boolean;
  cap: number | null;
}
/** An agent with a cap tries to pay for more than its cap. */
const AGENTS: Terms[] = [
  { isHonest: true, cap: null },
  { isHonest: true, cap: null },
  { isHonest: true, cap: 120 },
  { isHonest: false, cap: null },
  { isHonest: false, cap: 60 },
];
const COLLATERAL_USD = 100_000;

export async function openMarket(
  corridor: TestCorridor,
  intruder: Intruder,
  chain: MarketChain,
): Promise<Market> {
  const lps: MarketLp[] = [];
  for (const [isHonest, isWatched] of [
    [true, false],
    [true, true],
    [false, false],
    [false, true],
  ] as const) {
    const address = chain.addresses[lps.length];
    if (!address) throw new Error('The chain has too few addresses for the LPs');
    const lp = await newLp(corridor, { collateral: COLLATERAL_USD, asset: false, spreadBps: 10 });
    const asset = { symbol: chain.symbol, chain: chain.name, address };
    const { status } = await lp.call('POST', `/api/lp/${lp.key}/assets`, asset);
    if (status !== 201) throw new Error(`LP ${lp.id} could not register ${address}: ${status}`);
    lps.push({ ...lp, address, isHonest, isWatched, isSuspended: false });
  }
  const agents: MarketAgent[] = [];
  for (const terms of AGENTS) agents.push(await newMarketAgent(corridor, terms));
  return {
    ...{ corridor, chain, agents, lps, pause: null, windows: [] },
    ...{ transfers: [], deposits: [], refusedDeposits: [] },
    ...{ intruder, attempts: new Set(), mayLookLost: new Set(), counts: new Map() },
  };
}

export async function newMarketAgent(corridor: TestCorridor, terms: Terms): Promise<MarketAgent> {
  const limit = terms.cap === null ? {} : { maxExposureUsd: terms.cap };
  const agent = await registerAgent(corridor, { key: 'market', ...limit });
  return { ...agent, ...terms, isRevoked: false };
}

export const rowsOf = async <Row extends object>({ corridor }: Market, sql: string): Promise<Row[]> =>
  (await corridor.db.pool.query(sql)).rows;

const LIVE = `
  select id::int, status, version, agent_key_id::int as "agentKeyId", lp_id::int as "lpId",
    excluded_lp_ids::int[] as "excludedLpIds", frozen_ms is not null as "isFrozen", reoffers, rejections, trim_scale(amount_crypto)::text as amount
  from orders where status not in ('completed', 'cancelled') order by id`;

export async function readView(market: Market, maxLive: number): Promise<View> {
  const { agents, lps, transfers, deposits, pause } = market;
  const live = await rowsOf<OrderSeen>(market, LIVE);
  return { live, transfers, deposits, agents, lps, pauseId: pause?.id ?? null, maxLive };
}

export const attemptOf = (orderId: number, actor: string, trigger: string): string =>
  `${orderId} ${actor.startsWith('admin') ? 'admin' : actor} ${trigger}`;

/** Normalises a hash without the service's own code. */
export const hashKey = (hash: string): string => hash.trim().toLowerCase().replace(/^0x/, '');

/** The status of a response. Throws for an error of the service; a refusal is not an error. */
export function statusOf({ status, body }: Answer): string {
  if (status >= 500 && status !== 503) throw new Error(`the API answered ${status}: ${JSON.stringify(body)}`);
  return String(status);
}
