/** What a receipt may be. Contract: "Receipt file types". The extension is for the name of a download. */
export const RECEIPT_TYPES = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/gif': 'gif',
  'application/pdf': 'pdf',
  'image/heic': 'heic',
} as const;
export type ReceiptType = keyof typeof RECEIPT_TYPES;

/** As many bytes from a file's beginning as are enough to tell its type. */
export const RECEIPT_HEAD_BYTES = 256;

/**
 * A file's type by its first bytes, the only thing about an upload that its sender cannot just claim; null when it is
 * none of those that are taken.
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

/** HEVC images and sequences. Not `mif1` alone: AVIF and others call themselves that, too. */
const HEIC_BRANDS = new Set(['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs']);

/** The major and the compatible brands of an ISO media file: its first box, which says its own length. */
function brands(head: Uint8Array): string[] {
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0);
  const end = Math.min(length, head.length);
  const names: string[] = [];
  // Between the two kinds of brands stands a version number.
  for (let i = 8; i + 4 <= end; i += i === 8 ? 8 : 4)
    names.push(String.fromCharCode(...head.subarray(i, i + 4)));
  return names;
}
