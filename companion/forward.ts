import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The service itself stops waiting for a receiver after this time. */
const ANSWER_WITHIN_MS = 10_000;

/** These headers describe one connection, so they are not forwarded. */
const HOP_BY_HOP = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
]);

/** A response to forward. */
export interface RelayedResponse {
  status: number;
  /** Alternating names and values, as received. */
  headers: string[];
  body: Buffer;
}

/** The receiver gave no response. The message gives the reason; `status` is the gateway status to return instead. */
export class NoAnswer extends Error {
  readonly status: 502 | 504;
  constructor(status: 502 | 504, message: string) {
    super(message);
    this.status = status;
  }
}

/** Posts the same bytes and headers to another receiver. Throws `NoAnswer` if it does not respond in time. */
export function forward(url: string, rawHeaders: string[], body: Buffer): Promise<RelayedResponse> {
  return new Promise((resolve, reject) => {
    const { host, protocol } = new URL(url);
    const headers = [...endToEnd(rawHeaders), 'Host', host, 'Content-Length', String(body.length)];
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const fail = (error: NodeJS.ErrnoException) => reject(noAnswer(error, url));
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const request = send(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      readBytes(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, headers: endToEnd(response.rawHeaders), body: answer });
      }, fail);
    });
    request.once('error', fail);
    request.end(body);
  });
}

export async function readBytes(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function endToEnd(rawHeaders: string[]): string[] {
  return rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !HOP_BY_HOP.has(name.toLowerCase()) ? [name, rawHeaders[i + 1] ?? ''] : [],
  );
}

function noAnswer(error: NodeJS.ErrnoException, url: string): NoAnswer {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return new NoAnswer(504, `the receiver at ${url} did not answer within ${ANSWER_WITHIN_MS / 1_000} s`);
  if (error.code === 'ECONNREFUSED') return new NoAnswer(502, `nothing listens at ${url}`);
  if (error.code === 'ENOTFOUND') return new NoAnswer(502, `the host name of ${url} cannot be resolved`);
  return new NoAnswer(502, `the connection to ${url} failed (${error.code ?? error.message})`);
}
