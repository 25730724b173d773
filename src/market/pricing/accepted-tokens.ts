import { isBurnAddress, isSameAddress } from '../../adapters/addresses.ts';
import type { Chains, ChainVerifier } from '../../adapters/ports.ts';
import { type Chain, normaliseTxHash } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { SCALE } from '../../domain/money.ts';

/** A token whose payments Corridor can verify on its chain. */
export interface AcceptedToken {
  verifier: ChainVerifier;
  /** Decimal places of the token. */
  decimals: number;
}

/** Finds the verifier of a token on a chain. Refuses with `asset_not_accepted` if no verifier can find its payments. */
export function acceptedToken(chains: Chains, symbol: string, chain: Chain): AcceptedToken {
  const verifier = chains.get(chain);
  const decimals = verifier?.tokens ? verifier.tokens.get(symbol) : SCALE.crypto;
  if (verifier && decimals !== undefined) return { verifier, decimals };
  const accepted = [...chains].map(
    ([name, { tokens }]) => `${tokens ? [...tokens.keys()].join(', ') : 'any token'} on ${name}`,
  );
  throw new DomainError(
    'asset_not_accepted',
    `${symbol} on ${chain} is not accepted here; accepted tokens: ${accepted.join('; ')}`,
  );
}

/**
 * Refuses a malformed address, an address where tokens are lost, and the platform's own addresses, where a payment counts
 * as collateral or does not reach the LP. Refuses the token as `acceptedToken` does.
 */
export function requireAddress(
  chains: Chains,
  symbol: string,
  {
    chain,
    address,
    destinationTag = null,
  }: { chain: Chain; address: string; destinationTag?: number | null },
): void {
  const { verifier } = acceptedToken(chains, symbol, chain);
  if (!verifier.isAddress(address)) throw invalidField('address', `must be an address of ${chain}`);
  if (isBurnAddress(chain, address))
    throw invalidField('address', 'must not be a zero or burn address: nobody can move what is sent there');
  const isAddress = (other: string) => isSameAddress(chain, address, other);
  if (verifier.tokenAddresses.some(isAddress))
    throw invalidField(
      'address',
      'must not be the contract or issuer of a token: tokens sent there are lost',
    );
  // With a tag, the account may be an exchange's, where LPs can have tags of their own.
  const { depositAddress, depositTag } = verifier;
  const isDepositTag = depositTag === null || destinationTag === null || destinationTag === depositTag;
  if (depositAddress !== null && isAddress(depositAddress) && isDepositTag)
    throw invalidField('address', 'must not be the platform’s deposit address');
  if (verifier.reserveAddresses.some(isAddress))
    throw invalidField('address', 'must not be an address of the platform’s reserves');
}

/** Refuses a text that cannot be a transaction hash of the chain, before a look-up and before it is stored. */
export function requireTxHash(verifier: ChainVerifier, chain: Chain, txHash: string): void {
  if (verifier.isTxHash(normaliseTxHash(txHash))) return;
  throw invalidField('tx_hash', `must be a transaction hash of ${chain}: 64 hexadecimal digits`);
}
