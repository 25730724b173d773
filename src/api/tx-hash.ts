import type { ChainVerifier } from '../adapters/ports.ts';
import { type Chain, normaliseTxHash } from '../domain/assets.ts';
import { invalidField } from '../domain/errors.ts';

/** Refuses what cannot be a transaction of the chain, before it costs a try or a place. */
export function requireTxHash(verifier: ChainVerifier, chain: Chain, txHash: string): void {
  if (verifier.isTxHash(normaliseTxHash(txHash))) return;
  throw invalidField('tx_hash', `must be a transaction hash of ${chain}: 64 hexadecimal digits`);
}
