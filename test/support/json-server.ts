import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JsonRequest {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: JSON from other parties
  body: any;
}

/** The server's response: a status and JSON, or other text. `hang`: no response. */
export type JsonReply = { status?: number; json?: unknown; text?: string } | 'hang';

type Reply = (request: JsonRequest) => JsonReply | Promise<JsonReply>;

export interface JsonServer {
  url: string;
  received: JsonRequest[];
  /** Changes the following responses. */
  answer: (reply: Reply) => void;
  close: () => Promise<void>;
}

/** Another party's HTTP API, as a local server. */
export async function startJsonServer(reply: Reply): Promise<JsonServer> {
  const received: JsonRequest[] = [];
  let current = reply;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', async () => {
      const text = Buffer.concat(chunks).toString();
      const request = {
        path: incoming.url ?? '',
        headers: incoming.headers,
        body: text ? JSON.parse(text) : undefined,
      };
      received.push(request);
      const answer = await current(request);
      if (answer === 'hang') return;
      outgoing.writeHead(answer.status ?? 200, { 'content-type': 'application/json' });
      outgoing.end(answer.text ?? JSON.stringify(answer.json ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answer: (next) => {
      current = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
