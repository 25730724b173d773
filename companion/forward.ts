import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

/** The service itself gives a receiver up after this. */
const ANSWER_WITHIN_MS = 10_000;

/** Of a connection, and not of what is sent over it. */
const HOP_BY_HOP = [
  ...[
    'host',
    'connection',
    'keep-alive',
    'proxy-connection',
    'te',
    'trailer',
    'transfer-encoding',
    'upgrade',
  ],
  'content-length',
];

/** What somebody has answered. */
export interface Relayed {
  status: number;
  /** Names and values in turn, as they came. */
  headers: string[];
  body: Buffer;
}

/** That there is no answer, and why, for people. `status` is what a gateway says of it. */
export class NoAnswer extends Error {
  readonly status: 502 | 504;
  constructor(status: 502 | 504, message: string) {
    super(message);
    this.status = status;
  }
}

/** Posts the very bytes with the very headers to another receiver. Throws `NoAnswer` where none comes in time. */
export function forward(url: string, rawHeaders: string[], body: Buffer): Promise<Relayed> {
  return new Promise((resolve, reject) => {
    const { host, protocol } = new URL(url);
    const headers = [...endToEnd(rawHeaders), 'Host', host, 'Content-Length', String(body.length)];
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const fail = (error: NodeJS.ErrnoException) => reject(noAnswer(error, url));
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS);
    const request = send(url, { method: 'POST', headers, agent: false, signal }, (response) => {
      bytesOf(response).then((answer) => {
        resolve({ status: response.statusCode ?? 0, headers: endToEnd(response.rawHeaders), body: answer });
      }, fail);
    });
    request.once('error', fail);
    request.end(body);
  });
}

export async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function endToEnd(rawHeaders: string[]): string[] {
  return rawHeaders.flatMap((name, i) =>
    i % 2 === 0 && !HOP_BY_HOP.includes(name.toLowerCase()) ? [name, rawHeaders[i + 1] ?? ''] : [],
  );
}

function noAnswer(error: NodeJS.ErrnoException, url: string): NoAnswer {
  if (error.name === 'AbortError' || error.name === 'TimeoutError')
    return new NoAnswer(504, `the receiver at ${url} did not answer within ${ANSWER_WITHIN_MS / 1_000} s`);
  if (error.code === 'ECONNREFUSED')
    return new NoAnswer(502, `no receiver is there: nothing listens at ${url}`);
  if (error.code === 'ENOTFOUND')
    return new NoAnswer(502, `no receiver is there: nobody knows the host of ${url}`);
  return new NoAnswer(502, `the receiver at ${url} broke off (${error.code ?? error.message})`);
}
