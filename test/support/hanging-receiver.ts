import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An agent's server that accepts webhooks but does not respond until the test calls `resume`. */
export interface HangingReceiver {
  url: string;
  /** The number of webhooks that wait for a response now. */
  waiting: () => number;
  /** The largest number of webhooks that waited at the same time. */
  mostWaiting: () => number;
  /** The number of all webhooks received. */
  receivedCount: () => number;
  /** Responds to all waiting webhooks, and from now on to each new one immediately. */
  resume: () => void;
  close: () => void;
}

export async function startHangingReceiver(): Promise<HangingReceiver> {
  const waiting = new Set<ServerResponse>();
  let [most, received, hangs] = [0, 0, true];
  const server = createServer((request, response) => {
    request.resume();
    received += 1;
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
    receivedCount: () => received,
    resume: () => {
      hangs = false;
      for (const response of waiting) response.end();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
