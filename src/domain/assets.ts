/** The chains and tokens that payers can use. */

export const CHAINS = ['trx', 'eth', 'polygon', 'base', 'xrpl'] as const;
export type Chain = (typeof CHAINS)[number];

/** The chains by the names that people know. */
export const CHAIN_NAMES: Record<Chain, string> = {
  trx: 'Tron',
  eth: 'Ethereum',
  polygon: 'Polygon',
  base: 'Base',
  xrpl: 'XRP Ledger',
};

export const DEFAULT_SYMBOL = 'usdt';
export const DEFAULT_CHAIN: Chain = 'trx';

/** Tokens that count as 1 USD by definition. They need no price source. */
export const STABLECOINS = ['usdt', 'usdc'] as const;

export const isStablecoin = (symbol: string): boolean => (STABLECOINS as readonly string[]).includes(symbol);

export const isChain = (chain: string): chain is Chain => (CHAINS as readonly string[]).includes(chain);

/** The token in which each chain charges its fees. */
export const NATIVE_SYMBOLS: Record<Chain, string> = {
  trx: 'trx',
  eth: 'eth',
  polygon: 'pol',
  base: 'eth',
  xrpl: 'xrp',
};

/** Returns one spelling for each transaction hash: lower case, without `0x`. All chains use hexadecimal. */
export const normaliseTxHash = (txHash: string): string => txHash.trim().toLowerCase().replace(/^0x/, '');
