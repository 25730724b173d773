import { MAX_RECEIPT_BYTES } from '../../src/api/resources/receipts/schemas.ts';
import type { TestLp } from './actors.ts';

/** The first bytes of each accepted kind of file. */
export const HEADS = {
  'image/png': Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
  'image/jpeg': Buffer.from('\xff\xd8\xff\xe0\0\x10JFIF\0', 'latin1'),
  'image/webp': Buffer.from('RIFF\x24\0\0\0WEBPVP8 ', 'latin1'),
  'image/gif': Buffer.from('GIF89a\x01\0\x01\0', 'latin1'),
  'application/pdf': Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'),
  'image/heic': Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1'),
};

/** Returns a file: the head, and then bytes with line breaks and hyphens like those of boundaries. */
export function fileOf(head: Buffer, size: number): Buffer {
  const file = Buffer.alloc(size, '\r\n--\r\n----\r--\0\xff corridor \r', 'latin1');
  head.copy(file);
  return file;
}

export const largestFile = fileOf(HEADS['image/png'], MAX_RECEIPT_BYTES);

export const BOUNDARY = '----corridor-test-boundary';

export interface Part {
  name: string;
  content: Buffer | string;
  /** Makes it a file. */
  filename?: string;
  type?: string;
}

/** A multipart body, byte for byte, for forms that FormData cannot create. */
export function multipart(parts: Part[], ending = `--${BOUNDARY}--\r\n`): Buffer {
  const pieces = parts.map(({ name, content, filename, type }) => {
    const disposition = `Content-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${filename}"`}`;
    const head = `--${BOUNDARY}\r\n${disposition}\r\n${type ? `Content-Type: ${type}\r\n` : ''}\r\n`;
    return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
  });
  return Buffer.concat([...pieces, Buffer.from(ending)]);
}

export const MULTIPART = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };

export const receiptParts = (orderId: number | string, content: Buffer): Part[] => [
  { name: 'order_id', content: String(orderId) },
  { name: 'file', content, filename: 'receipt.png', type: 'image/png' },
];

/** Uploads these parts unchanged. */
export const sendParts = (lp: TestLp, parts: Part[], ending?: string) =>
  lp.call('POST', `/api/lp/${lp.key}/receipt`, multipart(parts, ending), MULTIPART);

/** Uploads a file as a browser does. */
export function upload(
  lp: TestLp,
  orderId: number | string,
  content: Buffer,
  name = 'receipt.png',
  type = '',
) {
  const form = new FormData();
  form.set('order_id', String(orderId));
  form.set('file', new Blob([new Uint8Array(content)], { type }), name);
  return lp.call('POST', `/api/lp/${lp.key}/receipt`, form);
}
