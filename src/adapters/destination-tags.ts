import {
  classicAddressToXAddress,
  isValidClassicAddress,
  isValidXAddress,
  xAddressToClassicAddress,
} from 'ripple-address-codec';
import { invalid, type Verdict } from '../domain/payment-verdict.ts';
import { reasonOf } from '../domain/status-reasons.ts';
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

/** The verdict on a payment with a wrong, missing or unexpected tag. Undefined: the tag is right. */
export function judgeTag(found: number | null, expected: number | null): Verdict | undefined {
  if (found === expected) return undefined;
  if (expected === null) return invalid(reasonOf('tag_unexpected', { found: Number(found) }));
  return invalid(
    found === null ? reasonOf('tag_missing', { expected }) : reasonOf('tag_wrong', { found, expected }),
  );
}
