const FINAL_TEXT = 0x81;
const [LENGTH_IN_2_BYTES, LENGTH_IN_8_BYTES] = [126, 127];

/**
 * The WebSocket frame of a text message from a server, uncompressed (RFC 6455, 5.2). One frame can be written to any
 * number of sockets.
 */
export function frameOf(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const headerBytes = length < LENGTH_IN_2_BYTES ? 2 : length < 2 ** 16 ? 4 : 10;
  const frame = Buffer.allocUnsafe(headerBytes + length);
  frame[0] = FINAL_TEXT;
  if (headerBytes === 2) frame[1] = length;
  else if (headerBytes === 4) {
    frame[1] = LENGTH_IN_2_BYTES;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_IN_8_BYTES;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, headerBytes);
  return frame;
}
