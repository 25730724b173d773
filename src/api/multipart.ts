import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { DomainError } from '../domain/errors.ts';

/** A multipart form as it comes in: each part begins, has bytes in any number of pieces, and ends. */
export type PartEvent =
  | { kind: 'begin'; name: string; isFile: boolean }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end' };

const MAX_HEAD_BYTES = 4_096;
const MAX_PARTS = 16;

/**
 * Reads a multipart request piece by piece, no faster than it is consumed, and at most `maxBytes` of it. When reading
 * ends early, what is left of the request is let go by, so that the caller can be answered.
 * Throws `bad_multipart`, also when the connection breaks, and `payload_too_large`.
 */
export async function* readMultipart(request: IncomingMessage, maxBytes: number): AsyncGenerator<PartEvent> {
  const boundary = boundaryOf(request.headers['content-type']);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw new DomainError('payload_too_large');
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
  if (!boundary) throw new DomainError('bad_multipart', 'Send a multipart/form-data body');
  return boundary;
}

/**
 * The chunks of a request, one for each that is asked for. Not by iterating over it: that joins what has come in
 * meanwhile into a new buffer each time, and destroys the request, on whose connection the answer goes, when it ends.
 */
async function* limited(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer> {
  let arrived: Buffer | undefined;
  let over: 'whole' | DomainError | undefined;
  let wake = () => {};
  const take = (chunk: Buffer) => {
    request.pause();
    arrived = chunk;
    wake();
  };
  const forget = finished(request, { writable: false }, (cause) => {
    over = cause ? new DomainError('bad_multipart', undefined, { cause }) : 'whole';
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
      if (over instanceof DomainError) throw over;
      if (!chunk) return;
      received += chunk.length;
      if (received > maxBytes) throw new DomainError('payload_too_large');
      yield chunk;
    }
  } finally {
    request.off('data', take);
    forget();
  }
}

/**
 * Cuts a body into its parts (RFC 7578). Our own, because formidable's parser, the one at hand, makes an object for
 * each byte that could begin a delimiter: 12 MB of line breaks keep it, and with it every other caller, busy for
 * seconds. Searching whole chunks costs the same for any bytes.
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
          throw new DomainError('bad_multipart');
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
  if (state !== 'epilogue') throw new DomainError('bad_multipart');
}

setFlagsFromString('--expose-gc');
const collect: (options: { type: 'minor' }) => void = runInNewContext('gc');
const COLLECT_EVERY_BYTES = 16 * 1024 * 1024;
let uncollected = 0;

/**
 * Gives memory back that the garbage collector would leave for long: it counts small objects, and not the chunks of
 * large uploads that hang on them, which add up to a hundred megabytes before it looks. Looking at the young objects
 * alone takes a millisecond or two.
 */
function release({ buffer, byteLength }: Buffer): void {
  // A buffer that others may have a share in is theirs as well.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0);
  uncollected += byteLength;
  if (uncollected < COLLECT_EVERY_BYTES) return;
  uncollected = 0;
  collect({ type: 'minor' });
}

interface Cut {
  /** Bytes that belong to no delimiter. */
  data: Buffer;
  /** What comes after the delimiter behind them; null when none is complete yet. */
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
    // A longer line that only begins like it.
  }
  const safe = endOfData(bytes, delimiter);
  return { data: bytes.subarray(0, safe), found: null, left: bytes.subarray(safe) };
}

/** Where a delimiter may begin that the next chunk goes on with. Mostly the end: then no chunk has to be copied. */
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
  if (!name) throw new DomainError('bad_multipart');
  return { kind: 'begin', name, isFile: /;\s*filename\*?=/i.test(disposition) };
}
