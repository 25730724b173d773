import { describe, expect, test } from '@jest/globals';
import { RECEIPT_TYPES, receiptType } from '../../src/domain/receipt-type.ts';
import { HEADS } from '../support/receipts.ts';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const ftyp = (major: string, ...compatible: string[]) => {
  const box = bytes(`\0\0\0\0ftyp${major}\0\0\0\0${compatible.join('')}`);
  box.writeUInt32BE(box.length);
  return Buffer.concat([box, bytes('\0\0\0\x08mdat')]);
};

describe('the type of a receipt', () => {
  test.each(Object.entries(HEADS))('%s is recognised by its first bytes', (type, head) => {
    expect(receiptType(head)).toBe(type);
  });

  test('is one of those that the contract names', () => {
    expect(Object.keys(HEADS).sort()).toEqual(Object.keys(RECEIPT_TYPES).sort());
    expect(Object.values(RECEIPT_TYPES).sort()).toEqual(['gif', 'heic', 'jpg', 'pdf', 'png', 'webp']);
  });

  test.each(Object.entries(HEADS))('%s is not recognised by fewer bytes than it needs', (_, head) => {
    expect(receiptType(head.subarray(0, 2))).toBeNull();
  });

  test('HEIC is recognised by any of its brands', () => {
    expect(receiptType(ftyp('mif1', 'mif1', 'miaf', 'heix'))).toBe('image/heic');
    expect(receiptType(ftyp('msf1', 'hevc'))).toBe('image/heic');
  });

  test.each([
    ['nothing', bytes('')],
    ['text', bytes('Dear Sir or Madam')],
    ['an HTML page', bytes('<!doctype html><script>alert(1)</script>')],
    ['an SVG image', bytes('<svg xmlns="http://www.w3.org/2000/svg">')],
    ['a program', bytes('MZ\x90\0')],
    ['an archive', bytes('PK\x03\x04')],
    ['audio in RIFF', bytes('RIFF\x24\0\0\0WAVEfmt ')],
    ['AVIF', ftyp('avif', 'mif1', 'miaf')],
    ['a video', ftyp('isom', 'isom', 'mp42')],
    ['a brand after the first box', Buffer.concat([ftyp('mif1', 'mif1'), bytes('heicheic')])],
    ['a PDF with something before it', bytes('<html>%PDF-1.7')],
    ['an unknown GIF', bytes('GIF88a')],
  ])('%s has none', (_, head) => {
    expect(receiptType(head)).toBeNull();
  });
});
