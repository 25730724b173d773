/** The media types of receipts. Contract: "Receipt file types". The extension names the download. */
export const RECEIPT_TYPES = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
  'image/heic': 'heic',
} as const;
export type ReceiptType = keyof typeof RECEIPT_TYPES;

/** This many bytes of a file's start identify its type. */
export const RECEIPT_HEAD_BYTES = 256;

/**
 * How many receipts one LP may have for one order. Each is up to 12 MB, and Corridor keeps all of them. Uploads that are under
 * way at the same time may exceed it.
 */
export const MOST_RECEIPTS = 50;

/**
 * Detects a file's type by its first bytes: a sender can claim any name or media type. Returns null for a type that is not
 * accepted.
 */
export function receiptType(head: Uint8Array): ReceiptType | null {
  const at = (start: number, end: number) => String.fromCharCode(...head.subarray(start, end));
  if (at(0, 8) === '\x89PNG\r\n\x1a\n') return 'image/png';
  if (at(0, 3) === '\xff\xd8\xff') return 'image/jpeg';
  if (at(0, 4) === 'RIFF' && at(8, 12) === 'WEBP') return 'image/webp';
  if (/^GIF8[79]a$/.test(at(0, 6))) return 'image/gif';
  if (/^%PDF-\d/.test(at(0, 6))) return 'application/pdf';
  return at(4, 8) === 'ftyp' && brands(head).some((brand) => HEIC_BRANDS.has(brand)) ? 'image/heic' : null;
}

/** HEVC images and sequences. `mif1` alone is not enough: AVIF and others use it too. */
const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);

/** The major and compatible brands of an ISO media file. They are in its first box, which starts with its length. */
function brands(head: Uint8Array): string[] {
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const end = Math.min(length, head.length);
  const names: string[] = [];
  // A version number separates the major brand from the compatible brands.
  for (let i = 8; i + 4 <= end; i += i === 8 ? 8 : 4)
    names.push(String.fromCharCode(...head.subarray(i, i + 4)));
  return names;
}
