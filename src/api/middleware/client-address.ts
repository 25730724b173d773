import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * Whom a limit counts: the caller's address, as the last `hops` proxies in front tell it, 0: as its connection does.
 * What callers write into `X-Forwarded-For` themselves stands before what those proxies add, and is not looked at.
 */
export function clientAddress({ headers, socket }: IncomingMessage, hops: number): string {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const told = hops > 0 ? countedAs(forwarded.slice(-hops)[0] ?? '') : undefined;
  return told ?? countedAs(socket.remoteAddress ?? '') ?? 'unknown';
}

/**
 * An IPv4 address, or the first half of an IPv6 one: whoever has one IPv6 address has the 2^64 of its network, and
 * could come from another for each request. Undefined for a text that is no address; a port behind it is let go.
 */
export function countedAs(text: string): string | undefined {
  const [, bracketed, bare] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+)(?::\d+)?$/.exec(text.trim()) ?? [];
  const address = bracketed ?? bare ?? text.trim();
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  return isIPv6(address) ? `${networkOf(address)}::/64` : undefined;
}

/** The first four groups of an IPv6 address, each in its shortest form. */
function networkOf(address: string): string {
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const groups = (text: string) =>
    text.split(':').flatMap((group) => (isIPv4(group) ? ['', ''] : group || []));
  const [before, behind] = [groups(head), groups(tail ?? '')];
  const between = tail === undefined ? 0 : 8 - before.length - behind.length;
  const all = [...before, ...Array.from({ length: between }, () => '0'), ...behind];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
