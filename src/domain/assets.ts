import { SCALE } from './money.ts';

/** The chains and tokens Corridor can be paid on. */

export const CHAINS = ['trx', 'eth', 'polygon', 'base', 'xrpl'] as const;
export type Chain = (typeof CHAINS)[number];

export const DEFAULT_SYMBOL = 'usdt';
export const DEFAULT_CHAIN: Chain = 'trx';

/** Tokens that stand for 1 USD by decision, so that no price source is needed. */
export const STABLECOINS = ['usdt', 'usdc'] as const;

export const isStablecoin = (symbol: string): boolean => (STABLECOINS as readonly string[]).includes(symbol);

export const isChain = (chain: string): chain is Chain => (CHAINS as readonly string[]).includes(chain);

/** What each chain pays its own fees with. */
export const NATIVE_SYMBOLS: Record<Chain, string> = {
  trx: 'trx',
  eth: 'eth',
  polygon: 'pol',
  base: 'eth',
  xrpl: 'xrp',
};

/**
 * Digits after the point of the amounts that are asked for in a token: its own, up to a millionth. A millionth is
 * what the drops of XRP and the suns of TRX are, and of ETH it is less than a cent; more digits than that are an
 * invitation to mistype.
 */
export const askedDecimals = (tokenDecimals: number): number => Math.min(tokenDecimals, SCALE.crypto);

/**
 * One spelling per transaction, so that the same hash in another case or with `0x` is seen to be the same.
 * All the chains here write hashes in hexadecimal.
 */
export const normaliseTxHash = (txHash: string): string => txHash.trim().toLowerCase().replace(/^0x/, '');
