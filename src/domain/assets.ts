/** The chains and tokens Corridor can be paid on. */

export const CHAINS = ['trx', 'eth', 'polygon', 'base', 'xrpl'] as const;
export type Chain = (typeof CHAINS)[number];

export const DEFAULT_SYMBOL = 'usdt';
export const DEFAULT_CHAIN: Chain = 'trx';

/** Tokens that stand for 1 USD by decision, so that no price source is needed. */
export const STABLECOINS = ['usdt', 'usdc'] as const;

export const isChain = (chain: string): chain is Chain => (CHAINS as readonly string[]).includes(chain);

/**
 * One spelling per transaction, so that the same hash in another case or with `0x` is seen to be the same.
 * All the chains here write hashes in hexadecimal.
 */
export const normaliseTxHash = (txHash: string): string => txHash.trim().toLowerCase().replace(/^0x/, '');
