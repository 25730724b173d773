import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6 } from 'node:net';

/**
 * Returns the address by which limits count a caller. With `hops` trusted proxies it comes from `X-Forwarded-For`; with
 * 0, from the connection. Entries that the caller itself wrote precede those of the trusted proxies and are ignored.
 */
export function clientAddress(request: IncomingMessage, hops: number): string {
  return addressIn(request, hops, countedAs) ?? 'unknown';
}

/** The same address as a list of allowed addresses compares it: whole, also an IPv6 address. Null: not known. */
export function exactAddress(request: IncomingMessage, hops: number): string | null {
  return addressIn(request, hops, addressOf) ?? null;
}

function addressIn(
  { headers, socket }: IncomingMessage,
  hops: number,
  read: (text: string) => string | undefined,
): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',');
  const fromProxy = hops > 0 ? read(forwarded.slice(-hops)[0] ?? '') : undefined;
  return fromProxy ?? read(socket.remoteAddress ?? '');
}

/**
 * An IPv4 address, or the /64 network of an IPv6 address. A host with one IPv6 address has 2^64 of them, and could use
 * a new one for each request. A port is removed. Undefined: the text is not an address.
 */
export function countedAs(text: string): string | undefined {
  const address = addressOf(text);
  return address !== undefined && isIPv6(address) ? `${networkOf(address)}::/64` : address;
}

/** An IPv4 or IPv6 address without port, brackets and zone. Undefined when the text is not an address. */
function addressOf(text: string): string | undefined {
  const [, bracketed, bare] = /^\[([^\]]+)\](?::\d+)?$|^([\d.]+)(?::\d+)?$/.exec(text.trim()) ?? [];
  const address = (bracketed ?? bare ?? text.trim()).split('%')[0] ?? '';
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  return isIPv4(mapped) || isIPv6(mapped) ? mapped : undefined;
}

/** The first four groups of an IPv6 address, without leading zeros. */
function networkOf(address: string): string {
  const [head = '', tail] = address.toLowerCase().split('::');
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
