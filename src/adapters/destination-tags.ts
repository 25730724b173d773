import {
  classicAddressToXAddress,
  isValidClassicAddress,
  isValidXAddress,
  xAddressToClassicAddress,
} from 'ripple-address-codec';
import type { Verdict } from '../domain/payment-verdict.ts';
import type { DestinationTags } from './ports.ts';

/** The tags of the XRP Ledger. `isTest`: X-addresses of test networks are written differently; null: reads both. */
export const xrplTags = (
  isTest: boolean | null,
  areRequired: DestinationTags['areRequired'],
): DestinationTags => ({
  decode: (text) => {
    if (!isValidXAddress(text)) return undefined;
    const { classicAddress, tag, test } = xAddressToClassicAddress(text);
    if (isTest !== null && test !== isTest) return undefined;
    return { address: classicAddress, tag: tag === false ? null : tag };
  },
  encode: (address, tag) => classicAddressToXAddress(address, tag, isTest ?? true),
  canHaveTag: isValidClassicAddress,
  areRequired,
});

/** The verdict on a payment with another tag than the expected one, or with one where none was asked for. */
export function judgeTag(found: number | null, expected: number | null): Verdict | undefined {
  if (found === expected) return undefined;
  const has = found === null ? 'no destination tag' : `destination tag ${found}`;
  const wanted = expected === null ? 'none was asked for' : `it must be ${expected}`;
  return { kind: 'invalid', reason: `The transaction has ${has}, and ${wanted}` };
}
