import { expect, test } from '@jest/globals';
import * as ws from 'ws';
import { frameOf } from '../../src/notify/feed/frame.ts';

/** This function is not in the types of `ws`. */
const { Sender } = ws as unknown as {
  Sender: { frame: (data: Buffer, options: object) => Buffer[] };
};
const byWs = (text: string): Buffer =>
  Buffer.concat(
    Sender.frame(Buffer.from(text), { fin: true, opcode: 1, mask: false, rsv1: false, readOnly: true }),
  );

test.each([0, 1, 125, 126, 127, 65_535, 65_536, 200_000])(
  'a message of %d bytes has the same frame as from the WebSocket library',
  (length) => {
    const text = 'x'.repeat(length);
    expect(frameOf(text).equals(byWs(text))).toBe(true);
  },
);

test('the length is that of the bytes, not of the characters', () => {
  const text = '€ 1.295, Nairobi, 🇰🇪'.repeat(9);
  expect(frameOf(text).equals(byWs(text))).toBe(true);
});
