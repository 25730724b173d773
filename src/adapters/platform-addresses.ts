import type { ChainVerifier } from './ports.ts';

/** The settings of a chain that name the platform's addresses. */
type PlatformSettings = Pick<ChainVerifier, 'depositAddress' | 'depositTag' | 'reserveAddresses'>;

/**
 * The addresses whose tokens are the platform's alone. A deposit address with a destination tag is not one of them: its
 * account may be an exchange's, from which payers pay too.
 */
const platformAddresses = ({
  depositAddress,
  depositTag,
  reserveAddresses,
}: PlatformSettings): readonly string[] =>
  depositAddress === null || depositTag !== null ? reserveAddresses : [depositAddress, ...reserveAddresses];

/** Returns the platform's own address that is among the senders, as the settings write it; null if none is. */
export const platformSenderIn =
  (settings: PlatformSettings, isSame: (own: string, sender: string) => boolean) =>
  (...senders: string[]): string | null =>
    platformAddresses(settings).find((own) => senders.some((sender) => isSame(own, sender))) ?? null;
