/** Encodes a text as one WebSocket frame of a server: final, not masked (RFC 6455, 5.2). */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const { length } = payload;
  if (length >= 2 ** 16) throw new RangeError('A frame of this function holds less than 64 KiB');
  const head =
    length < 126 ? Buffer.from([0x81, length]) : Buffer.from([0x81, 126, length >> 8, length & 0xff]);
  return Buffer.concat([head, payload]);
}
