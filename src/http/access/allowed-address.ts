import { BlockList, isIPv6 } from 'node:net';

/** Lists that were read once: a busy key must not cost the parsing of its list with each request. */
const READ = new Map<string, BlockList>();
const MOST_READ = 1_000;

/** Whether a key with this list of addresses and networks is accepted from the address. Null: from everywhere. */
export function isAllowedFrom(
  allowed: readonly string[] | null | undefined,
  address: string | null,
): boolean {
  if (!allowed) return true;
  return address !== null && listOf(allowed).check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function listOf(allowed: readonly string[]): BlockList {
  const key = allowed.join();
  const known = READ.get(key);
  if (known) return known;
  if (READ.size >= MOST_READ) READ.clear();
  const list = new BlockList();
  for (const entry of allowed) {
    const [base = '', bits] = entry.split('/');
    const family = isIPv6(base) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(base, family);
    else list.addSubnet(base, Number(bits), family);
  }
  READ.set(key, list);
  return list;
}
