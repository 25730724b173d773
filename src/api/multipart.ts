import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import { MultipartParser } from 'formidable';
import { DomainError } from '../domain/errors.ts';

/** A multipart form as it comes in: each part begins, has bytes in any number of pieces, and ends. */
export type PartEvent =
  | { kind: 'begin'; name: string; isFile: boolean }
  | { kind: 'data'; bytes: Buffer }
  | { kind: 'end' };

const MAX_HEADER_BYTES = 4_096;
const MAX_PARTS = 16;
/** 70 characters by RFC 2046, and the line break and hyphens around them. */
const LONGEST_BOUNDARY = 80;

/**
 * Reads a multipart request piece by piece, no faster than it is consumed, and at most `maxBytes` of it. When reading
 * ends early, what is left of the request is let go by, so that the caller can be answered.
 * Throws `bad_multipart`, also when the connection breaks, and `payload_too_large`.
 */
export async function* readMultipart(request: IncomingMessage, maxBytes: number): AsyncGenerator<PartEvent> {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw new DomainError('payload_too_large');
  const parser = new PartParser(boundaryOf(request.headers['content-type']));
  let received = 0;
  const count = (chunk: Buffer) => {
    received += chunk.length;
    if (received > maxBytes) parser.destroy(new DomainError('payload_too_large'));
  };
  const forget = finished(request, { writable: false }, (error) => {
    if (error) parser.destroy(error);
  });
  request.on('data', count).pipe(parser);
  try {
    yield* parser as AsyncIterable<PartEvent>;
  } catch (error) {
    throw error instanceof DomainError
      ? error
      : new DomainError('bad_multipart', undefined, { cause: error });
  } finally {
    forget();
    request.unpipe(parser).off('data', count).resume();
  }
}

function boundaryOf(contentType: string | undefined): string {
  const [, quoted, plain] =
    /^multipart\/form-data\s*;(?:.*;)?\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(
      contentType ?? '',
    ) ?? [];
  const boundary = quoted ?? plain;
  if (!boundary) throw new DomainError('bad_multipart', 'Send a multipart/form-data body');
  return boundary;
}

interface ParserEvent {
  name: string;
  buffer?: Buffer;
  start?: number;
  end?: number;
}

/**
 * Formidable's parser, with its events put together: it makes several for each line of a header, and in the worst
 * case one for each byte of a file. They are taken where they arise, before they can queue up.
 */
class PartParser extends MultipartParser {
  #field = '';
  #value = '';
  #headerBytes = 0;
  #disposition = '';
  #parts = 0;
  #inPart = false;
  #data = Buffer.alloc(0);
  #filled = 0;
  #goOn: (() => void) | undefined;

  constructor(boundary: string) {
    super();
    this.initWithBoundary(boundary);
  }

  override _transform(chunk: Buffer, encoding: string, callback: (error?: Error) => void): number {
    // No more comes out of a chunk than went in, and the part of the last one that looked like a boundary.
    this.#data = Buffer.allocUnsafe(chunk.length + LONGEST_BOUNDARY);
    this.#filled = 0;
    return super._transform(chunk, encoding, (error?: Error) => {
      this.#flushData();
      if (error || this.readableLength === 0) callback(error);
      else this.#goOn = callback;
    });
  }

  /** One chunk for each event that is taken. By itself a stream of events would run sixteen of them ahead. */
  override _read(size: number): void {
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn?.();
    super._read(size);
  }

  override push(event: ParserEvent | null): boolean {
    if (event === null) return super.push(null);
    if (this.destroyed) return false;
    const { name, buffer, start, end } = event;
    if (name === 'partData') {
      this.#filled += buffer?.copy(this.#data, this.#filled, start, end) ?? 0;
      return true;
    }
    this.#flushData();
    if (name === 'headerField') this.#field += this.#headerText(event);
    else if (name === 'headerValue') this.#value += this.#headerText(event);
    else if (name === 'headerEnd') this.#endHeader();
    else if (name === 'headersEnd') this.#begin();
    else if (name === 'partEnd') this.#end();
    return true;
  }

  #headerText({ buffer, start = 0, end = 0 }: ParserEvent): string {
    this.#headerBytes += end - start;
    if (this.#headerBytes > MAX_HEADER_BYTES) this.#refuse();
    return this.destroyed ? '' : (buffer?.toString('utf8', start, end) ?? '');
  }

  #endHeader(): void {
    if (this.#field.toLowerCase() === 'content-disposition') this.#disposition = this.#value;
    this.#field = '';
    this.#value = '';
  }

  #begin(): void {
    const [, quoted, plain] = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i.exec(this.#disposition) ?? [];
    const name = quoted ?? plain;
    this.#parts += 1;
    if (!name || this.#parts > MAX_PARTS) {
      this.#refuse();
      return;
    }
    this.#inPart = true;
    super.push({
      kind: 'begin',
      name,
      isFile: /;\s*filename\*?=/i.test(this.#disposition),
    } satisfies PartEvent);
    this.#disposition = '';
    this.#headerBytes = 0;
  }

  #flushData(): void {
    if (this.#filled === 0) return;
    super.push({ kind: 'data', bytes: this.#data.subarray(0, this.#filled) } satisfies PartEvent);
    this.#data = this.#data.subarray(this.#filled);
    this.#filled = 0;
  }

  #end(): void {
    // A form that breaks off behind a boundary ends a part that has not begun.
    if (this.#inPart) super.push({ kind: 'end' } satisfies PartEvent);
    else this.#refuse();
    this.#inPart = false;
  }

  #refuse(): void {
    this.destroy(new DomainError('bad_multipart'));
  }
}
