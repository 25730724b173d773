import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** An agent's server that takes webhooks and does not answer, until it is told to. */
export interface HangingReceiver {
  url: string;
  /** Webhooks that wait for their answer at this moment. */
  waiting: () => number;
  /** The most that ever did at once. */
  mostWaiting: () => number;
  /** All that have come. */
  asked: () => number;
  /** Answers all that wait, and from now on each at once. */
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
