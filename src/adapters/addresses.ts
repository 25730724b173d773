import { keccak_256 } from '@noble/hashes/sha3.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { isValidClassicAddress } from 'ripple-address-codec';
import type { Chain } from '../domain/assets.ts';
import { tronAddressBytes } from './tron-address.ts';

/**
 * Whether a text is an address of the chain. Needs no chain's library, because settings are read before those libraries
 * are loaded.
 */
export const IS_ADDRESS: Record<Chain, (text: string) => boolean> = {
  eth: isEvmAddress,
  polygon: isEvmAddress,
  base: isEvmAddress,
  trx: (text) => tronAddressBytes(text) !== undefined,
  xrpl: isValidClassicAddress,
};

const EVM_CHAINS: readonly Chain[] = ['eth', 'polygon', 'base'];

/** Whether two texts are the same address of the chain: EVM addresses compare without case. */
export function isSameAddress(chain: Chain, one: string, other: string): boolean {
  return EVM_CHAINS.includes(chain) ? one.toLowerCase() === other.toLowerCase() : one === other;
}

/** Whether money that is sent to the address is lost, because nobody has its key. */
export function isBurnAddress(chain: Chain, address: string): boolean {
  if (chain === 'xrpl') return XRPL_BLACK_HOLES.includes(address);
  const digits = chain === 'trx' ? tronAddressBytes(address) : address.toLowerCase().replace(/^0x/, '');
  return digits !== undefined && BURN_DIGITS.some((pattern) => pattern.test(digits));
}

/** Patterns for the 20 bytes of an EVM or Tron address. */
const BURN_DIGITS = [
  // Zero, the precompiled contracts, 0x…dead. A simulated chain accepts short forms such as `0x0`.
  /^(0+|0{36}[0-9a-f]{4}|0*dead)$/,
  // 0xffff…, 0xeeee… (which stands for the chain's own coin), 0xdeaddead….
  /^([0-9a-f])\1{39}$/,
  /^(dead){10}$/,
  /^dead000000000000000042069420694206942069$/,
  // Tron's black hole, TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy.
  /^77944d19c052b73ee2286823aa83f8138cb7032f$/,
];

/** ACCOUNT_ZERO, ACCOUNT_ONE, the account that reserves names, and the one that a wrong conversion leads to. */
const XRPL_BLACK_HOLES = [
  'rrrrrrrrrrrrrrrrrrrrrhoLvTp',
  'rrrrrrrrrrrrrrrrrrrrBZbvji',
  'rrrrrrrrrrrrrrrrrNAMEtxvNvQ',
  'rrrrrrrrrrrrrrrrrrrn5RM1rHd',
];

/** An address in lower case has no checksum. Otherwise the case of its letters must follow EIP-55. */
function isEvmAddress(text: string): boolean {
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) return false;
  const digits = text.slice(2);
  const lower = digits.toLowerCase();
  return digits === lower || digits === checksummed(lower);
}

/** EIP-55: a letter is upper case where the hash of the address has a digit of 8 or more. */
function checksummed(lower: string): string {
  const hash = bytesToHex(keccak_256(utf8ToBytes(lower)));
  return [...lower]
    .map((digit, i) => (Number.parseInt(hash[i] ?? '0', 16) >= 8 ? digit.toUpperCase() : digit))
    .join('');
}
