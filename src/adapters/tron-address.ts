import { createHash } from 'node:crypto';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
/** The first byte of every Tron address. */
const PREFIX = 0x41;

/** Returns the 20 bytes of a Tron address (base58check, `T…`) as lowercase hexadecimal, or undefined for any other text. */
export function tronAddressBytes(address: string): string | undefined {
  if (!/^T[1-9A-HJ-NP-Za-km-z]{33}$/.test(address)) return undefined;
  const number = [...address].reduce((sum, c) => sum * 58n + BigInt(ALPHABET.indexOf(c)), 0n);
  const bytes = Buffer.from(number.toString(16).padStart(50, '0'), 'hex');
  const [body, checksum] = [bytes.subarray(0, 21), bytes.subarray(21)];
  if (bytes.length !== 25 || body[0] !== PREFIX) return undefined;
  return sha256(sha256(body)).subarray(0, 4).equals(checksum) ? body.subarray(1).toString('hex') : undefined;
}

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();
