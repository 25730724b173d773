import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { HttpError } from '../../../http/errors.ts';

/** A step in reading a multipart form. Each part begins, has bytes in any number of pieces, and ends. */
export type PartEvent =
  | { kind: 'begin'; name: string; isFile: boolean }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end' };

const MAX_HEAD_BYTES = 4_096;
const MAX_PARTS = 16;

/**
 * Reads a multipart request piece by piece, no faster than the caller consumes it, and at most `maxBytes` of it. If the
 * caller stops early, discards the rest of the request, so that the client can read the response.
 * Throws `payload_too_large`, or `bad_multipart`, even if the connection breaks.
 */
export async function* readMultipart(request: IncomingMessage, maxBytes: number): AsyncGenerator<PartEvent> {
  const boundary = boundaryOf(request.headers['content-type']);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new HttpError('payload_too_large');
  try {
    yield* parts(limited(request, maxBytes), Buffer.from(`\r\n--${boundary}`));
  } finally {
    request.resume();
  }
}

function boundaryOf(contentType: string | undefined): string {
  const form = /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i;
  const [, quoted, plain] = form.exec(contentType ?? '') ?? [];
  const boundary = quoted ?? plain;
  if (!boundary) throw new HttpError('bad_multipart', 'Send a multipart/form-data body');
  return boundary;
}

/**
 * Yields the chunks of a request on demand. Does not iterate over the request itself: an iteration would copy the chunks
 * that arrived since the last read into a new buffer. At its end it would also destroy the request, and with it the
 * connection that the response needs.
 */
async function* limited(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let arrived: Buffer | undefined;
  let over: 'whole' | HttpError | undefined;
  let wake = () => {};
  const take = (chunk: Buffer) => {
    request.pause();
    arrived = chunk;
    wake();
  };
  const forget = finished(request, { writable: false }, (cause) => {
    over = cause ? new HttpError('bad_multipart', undefined, { cause }) : 'whole';
    wake();
  });
  request.on('data', take);
  try {
    for (let received = 0; ; ) {
      request.resume();
      await new Promise<void>((resolve) => {
        wake = resolve;
        if (over) resolve();
      });
      const chunk: Buffer | undefined = arrived;
      arrived = undefined;
      if (over instanceof HttpError) throw over;
      if (!chunk) return;
      received += chunk.length;
      if (received > maxBytes) throw new HttpError('payload_too_large');
      yield chunk;
    }
  } finally {
    request.off('data', take);
    forget();
  }
}

/**
 * Splits a body into its parts (RFC 7578). The installed parser, formidable, creates an object for each byte that could
 * begin a delimiter, so 12 MB of line breaks would block this process for seconds. A search over whole chunks takes the
 * same time for any bytes.
 */
async function* parts(chunks: AsyncIterable<Buffer>, delimiter: Buffer): AsyncGenerator<PartEvent> {
  // The body begins with a delimiter whose line break may be missing.
  let rest: Buffer = Buffer.from('\r\n');
  let state: 'preamble' | 'head' | 'data' | 'epilogue' = 'preamble';
  let count = 0;
  for await (const chunk of chunks) {
    if (state === 'epilogue') continue;
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      if (state === 'head') {
        const end = rest.subarray(0, MAX_HEAD_BYTES).indexOf('\r\n\r\n');
        count += end < 0 ? 0 : 1;
        if (count > MAX_PARTS || (end < 0 && rest.length >= MAX_HEAD_BYTES))
          throw new HttpError('bad_multipart');
        if (end < 0) break;
        yield beginning(rest.toString('utf8', 0, end));
        rest = rest.subarray(end + 4);
        state = 'data';
      }
      const { data, found, left } = cut(rest, delimiter);
      rest = left;
      if (state === 'data' && data.length > 0) yield { kind: 'data', bytes: data };
      if (!found) break;
      if (state === 'data') yield { kind: 'end' };
      state = found;
      if (state === 'epilogue') break;
    }
    rest = Buffer.from(rest);
    release(chunk);
  }
  if (state !== 'epilogue') throw new HttpError('bad_multipart');
}

setFlagsFromString('--expose-gc');
const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
const COLLECT_EVERY_BYTES = 16 * 1024 * 1024;
let uncollected = 0;

/**
 * Frees memory that the garbage collector would keep for a long time. The collector counts small objects, but not the
 * chunks of large uploads that these objects hold, so a hundred megabytes could add up before it runs. A collection of
 * the young objects alone takes one or two milliseconds.
 */
function release({ buffer, byteLength }: Buffer): void {
  // Other buffers may use the rest of a shared ArrayBuffer, so only an unshared one is freed.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  uncollected += byteLength;
  if (uncollected < COLLECT_EVERY_BYTES) return;
  uncollected = 0;
  collect({ type: 'minor' });
}

interface Cut {
  /** Bytes that belong to no delimiter. */
  data: Buffer;
  /** The part after the delimiter. Null: no delimiter is complete yet. */
  found: 'head' | 'epilogue' | null;
  left: Buffer;
}

function cut(bytes: Buffer, delimiter: Buffer): Cut {
  for (let from = 0; ; from += delimiter.length) {
    from = bytes.indexOf(delimiter, from);
    if (from < 0) break;
    const end = from + delimiter.length;
    const ending = bytes.toString('latin1', end, end + 2);
    const data = bytes.subarray(0, from);
    if (ending.length < 2) return { data, found: null, left: bytes.subarray(from) };
    if (ending === '--') return { data, found: 'epilogue', left: bytes.subarray(end + 2) };
    if (ending === '\r\n') return { data, found: 'head', left: bytes.subarray(end + 2) };
    // Only the start of a longer line matches the delimiter.
  }
  const safe = endOfData(bytes, delimiter);
  return { data: bytes.subarray(0, safe), found: null, left: bytes.subarray(safe) };
}

/**
 * Returns the index from which an incomplete delimiter may begin. Usually it is the end, so that no chunk has to be
 * copied.
 */
function endOfData(bytes: Buffer, delimiter: Buffer): number {
  const CR = 13;
  let at = bytes.indexOf(CR, Math.max(0, bytes.length - delimiter.length + 1));
  while (at >= 0 && !bytes.subarray(at).equals(delimiter.subarray(0, bytes.length - at))) {
    at = bytes.indexOf(CR, at + 1);
  }
  return at < 0 ? bytes.length : at;
}

function beginning(head: string): PartEvent {
  const [, disposition = ''] = /^content-disposition:([^\r\n]*)/im.exec(head) ?? [];
  const [, quoted, plain] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(disposition) ?? [];
  const name = quoted ?? plain;
  if (!name) throw new HttpError('bad_multipart');
  return { kind: 'begin', name, isFile: /;\s*filename\*?=/i.test(disposition) };
}
