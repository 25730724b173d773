import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the resolver receives it. */
export interface ResolverQuestion {
  headers: IncomingMessage['headers'];
  path: string;
  text: string;
  /** Whether the signature is valid by the resolver's own secret. */
  signed: boolean;
}

type Handler = (question: ResolverQuestion, response: ServerResponse) => void;

export interface ResolverServer {
  url: string;
  questions: ResolverQuestion[];
  /** Changes the following answers: a JSON value with status 200, or a custom handler. */
  answer: (with_: object | Handler) => void;
  close: () => Promise<void>;
}

export const RESOLVER_SECRET = 'whsec_cmVjaXBpZW50LXJlc29sdmVyLXNlY3JldC0xMjM0';

/** An operator's resolver. It answers 401 to a request without Corridor's signature (Standard Webhooks). */
export async function startResolver(): Promise<ResolverServer> {
  const questions: ResolverQuestion[] = [];
  let current: Handler = json({ name: null });
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { headers, url = '' } = incoming;
      const question = { headers, path: url, text, signed: isSigned(headers, text) };
      questions.push(question);
      if (question.signed) current(question, response);
      else response.writeHead(401).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    questions,
    answer: (next) => {
      current = typeof next === 'function' ? (next as Handler) : json(next);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const json =
  (value: object): Handler =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };

function isSigned(headers: IncomingMessage['headers'], text: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': given } = headers;
  if (Math.abs(Date.now() / 1_000 - Number(at)) > 300) return false;
  const key = Buffer.from(RESOLVER_SECRET.slice('whsec_'.length), 'base64');
  const expected = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.${text}`).digest('base64')}`,
  );
  const actual = Buffer.from(String(given));
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}
