import type { Chains, ChainVerifier } from '../adapters/ports.ts';
import { askedDecimals, type Chain } from '../domain/assets.ts';
import { DomainError, invalidField } from '../domain/errors.ts';
import { SCALE } from '../domain/money.ts';

/** A token that can be verified on its chain. */
export interface AcceptedToken {
  verifier: ChainVerifier;
  /** Digits after the point of the amounts that are asked for. */
  decimals: number;
}

/** Refuses with `asset_not_accepted` a token that no verifier of its chain can check: its payment could never be found. */
export function acceptedToken(chains: Chains, symbol: string, chain: Chain): AcceptedToken {
  const verifier = chains.get(chain);
  const decimals = verifier?.tokens ? verifier.tokens.get(symbol) : SCALE.crypto;
  if (verifier && decimals !== undefined) return { verifier, decimals: askedDecimals(decimals) };
  const taken = [...chains].map(
    ([name, { tokens }]) => `${tokens ? [...tokens.keys()].join(', ') : 'any token'} on ${name}`,
  );
  throw new DomainError(
    'asset_not_accepted',
    `${symbol} on ${chain} is not taken here; taken are ${taken.join('; ')}`,
  );
}

/**
 * Refuses an address that cannot be one of the chain where that is real, or is the platform's own, where what is paid is
 * somebody's collateral; and the token as `acceptedToken` does.
 */
export function requireAddress(
  chains: Chains,
  symbol: string,
  { chain, address }: { chain: Chain; address: string },
): void {
  const { verifier } = acceptedToken(chains, symbol, chain);
  if (!verifier.isAddress(address)) throw invalidField('address', `must be an address of ${chain}`);
  if (address.toLowerCase() === verifier.depositAddress?.toLowerCase())
    throw invalidField('address', 'must not be the platform’s deposit address');
}
