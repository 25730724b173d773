import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An agent's server that accepts webhooks and does not respond until the test allows it. */
export interface HangingReceiver {
  url: string;
  /** Webhooks that wait for a response now. */
  waiting: () => number;
  /** The maximum of webhooks that waited at the same time. */
  mostWaiting: () => number;
  /** All webhooks received. */
  asked: () => number;
  /** Responds to all that wait, and from now on to each immediately. */
  goOn: () => void;
  close: () => void;
}

export async function startHangingReceiver(): Promise<HangingReceiver> {
  const waiting = new Set<ServerResponse>();
  let [most, asked, hangs] = [0, 0, true];
  const server = createServer((request, response) => {
    request.resume();
    asked += 1;
    if (!hangs) {
      response.end();
      return;
    }
    waiting.add(response);
    most = Math.max(most, waiting.size);
    response.once('close', () => waiting.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    waiting: () => waiting.size,
    mostWaiting: () => most,
    asked: () => asked,
    goOn: () => {
      hangs = false;
      for (const response of waiting) response.end();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
