import type { Logger } from 'pino';
import type { Chains } from '../../adapters/ports.ts';
import type { Chain } from '../../domain/assets.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { acceptedToken, requireAddress } from './accepted-tokens.ts';

/** A receive address as an LP writes it: an XRPL X-address contains its destination tag. */
export interface GivenAddress {
  symbol: string;
  chain: Chain;
  address: string;
  destination_tag?: number | undefined;
}

export interface ReceiveAddress {
  address: string;
  /** XRPL only: part of the address. */
  destinationTag: number | null;
}

interface ReceiveAddressDeps {
  chains: Chains;
  log: Logger;
  /** Counts a look-up at the chain's node before it begins. Throws if there may be none. */
  countLookup: () => Promise<void>;
}

/**
 * Reads a receive address and its destination tag. Refuses addresses as `requireAddress` does, a tag on a chain without
 * tags, and an account that requires a tag without one, because nobody could pay there. Refuses with `unavailable` if
 * the chain does not respond.
 */
export async function readReceiveAddress(
  { chains, log, countLookup }: ReceiveAddressDeps,
  given: GivenAddress,
): Promise<ReceiveAddress> {
  const { symbol, chain } = given;
  const { tags, simulated } = acceptedToken(chains, symbol, chain).verifier;
  const tag = given.destination_tag ?? null;
  if (!tags && tag !== null)
    throw invalidField('destination_tag', `must be left out: addresses of ${chain} have no destination tag`);

  const decoded = tags?.decode(given.address);
  if (decoded && tag !== null && tag !== decoded.tag)
    throw invalidField('destination_tag', `must be the tag in the X-address: ${decoded.tag ?? 'none'}`);
  const { address, tag: destinationTag } = decoded ?? { address: given.address, tag };
  requireAddress(chains, symbol, { chain, address, destinationTag });
  if (!tags) return { address, destinationTag };

  if (destinationTag !== null) {
    if (!tags.canHaveTag(address))
      throw invalidField('address', `must be an account of ${chain} to have a tag`);
    return { address, destinationTag };
  }
  if (!simulated) await countLookup();
  const required = await tags.areRequired(address).catch((error: Error) => {
    log.warn({ err: error }, 'could not check whether an account requires a destination tag');
    const text = `${chain} does not respond, so Corridor cannot check whether the account requires a destination tag: register it again later`;
    throw new DomainError('unavailable', text, { retryAfter: 10, cause: error });
  });
  if (required)
    throw invalidField(
      'destination_tag',
      'is required: the account refuses payments without a destination tag',
    );
  return { address, destinationTag };
}
