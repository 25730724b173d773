import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Most entries of one list: more than a person or a company has. */
const MOST = 50;
const ERROR = 'must be an address such as 192.0.2.7 or 2001:db8::7, or a network such as 192.0.2.0/24';

/** An address or a network, as the database keeps it: `192.0.2.7/24` becomes `192.0.2.0/24`. */
const network = z
  .string()
  .trim()
  .max(64)
  .transform((text, ctx) => {
    const found = networkOf(text);
    if (found) return found;
    ctx.addIssue(ERROR);
    return z.NEVER;
  });

/** The addresses and networks from which a key is accepted. */
export const networks = z
  .array(network)
  .min(1)
  .max(MOST)
  .describe(
    `A list of 1 to ${MOST} IPv4 or IPv6 addresses, and networks in CIDR notation such as \`192.0.2.0/24\`. \`null\` means all addresses.`,
  );

function networkOf(text: string): string | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text))
    return ipaddr.process(text).toString();
  const address = text.split('/')[0] ?? '';
  if (ipaddr.IPv4.isValidFourPartDecimal(address) && ipaddr.IPv4.isValidCIDR(text))
    return withLength(ipaddr.IPv4.networkAddressFromCIDR(text), text);
  return ipaddr.IPv6.isValidCIDR(text)
    ? withLength(ipaddr.IPv6.networkAddressFromCIDR(text), text)
    : undefined;
}

const withLength = (base: { toString: () => string }, text: string): string =>
  `${base.toString()}/${Number(text.split('/')[1])}`;
