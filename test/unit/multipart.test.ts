import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readMultipart } from '../../src/api/resources/receipts/multipart.ts';
import { BOUNDARY, MULTIPART, multipart } from '../support/receipts.ts';

/** A request whose body arrives in chunks of these sizes, in rotation. */
function request(
  body: Buffer,
  sizes: number[],
  headers: Record<string, string> = MULTIPART,
): IncomingMessage {
  const chunks: Buffer[] = [];
  for (let from = 0, i = 0; from < body.length; i += 1) {
    const size = sizes[i % sizes.length] ?? 1;
    chunks.push(body.subarray(from, from + size));
    from += size;
  }
  const stream = Readable.from(chunks, { objectMode: false });
  return Object.assign(stream, { headers }) as unknown as IncomingMessage;
}

/** The names and contents of the parts. */
async function read(from: IncomingMessage): Promise<[string, string][]> {
  const parts: [string, string][] = [];
  for await (const event of readMultipart(from, 1_000_000)) {
    if (event.kind === 'begin') parts.push([event.name, '']);
    else if (event.kind === 'data') (parts.at(-1) as [string, string])[1] += event.bytes.toString('latin1');
  }
  return parts;
}

/** Bytes that resemble a delimiter. */
const tricky = fc
  .array(
    fc.constantFrom(
      '\r',
      '\n',
      '-',
      '--',
      '\r\n',
      `\r\n--${BOUNDARY.slice(0, 9)}`,
      `--${BOUNDARY}`,
      `\r\n--${BOUNDARY}x`,
      '\0\xff',
      'a',
    ),
  )
  .map((pieces) => pieces.join(''))
  // Without a real delimiter.
  .filter((text) => !new RegExp(`\r\n--${BOUNDARY}(--|\r\n)`).test(`\r\n${text}`));

describe('a multipart body', () => {
  test('returns its parts, whatever they contain and wherever the chunks end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(tricky, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 }),
        async (contents, sizes) => {
          // The content must not end like the beginning of a delimiter: the real delimiter follows it directly.
          const whole = contents.map((content) => `${content}.`);
          const body = multipart(
            whole.map((content, i) => ({ name: `p${i}`, content: Buffer.from(content, 'latin1') })),
          );
          expect(await read(request(body, sizes))).toEqual(whole.map((content, i) => [`p${i}`, content]));
        },
      ),
    );
  });

  test('that ends anywhere before its last delimiter is refused', async () => {
    const body = multipart([
      { name: 'a', content: 'one' },
      { name: 'b', content: 'two', filename: 'b.png' },
    ]);
    const last = body.length - '\r\n'.length;
    for (let length = 0; length < last; length += 1) {
      await expect(read(request(body.subarray(0, length), [1_000]))).rejects.toMatchObject({
        code: 'bad_multipart',
      });
    }
    expect(await read(request(body.subarray(0, last), [7]))).toEqual([
      ['a', 'one'],
      ['b', 'two'],
    ]);
  });

  test('may have text before its first and after its last delimiter', async () => {
    const body = Buffer.concat([
      Buffer.from('hello\r\n'),
      multipart([{ name: 'a', content: '' }]),
      Buffer.from('bye'),
    ]);
    expect(await read(request(body, [3]))).toEqual([['a', '']]);
  });

  test('may quote its boundary, and have other parameters', async () => {
    const body = multipart([{ name: 'a', content: 'one' }]);
    for (const type of [
      `multipart/form-data; boundary="${BOUNDARY}"`,
      `Multipart/Form-Data;charset=utf-8; boundary=${BOUNDARY}`,
    ]) {
      expect(await read(request(body, [64], { 'content-type': type }))).toEqual([['a', 'one']]);
    }
  });

  test('is read to its end after the reader has stopped', async () => {
    const from = request(
      Buffer.concat([multipart([{ name: 'a', content: 'one' }], ''), Buffer.alloc(500_000)]),
      [50],
    );
    for await (const event of readMultipart(from, 1_000_000)) if (event.kind === 'data') break;
    await new Promise((resolve) => from.once('end', resolve));
    expect(from.readableEnded).toBe(true);
  });
});
