import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** An XRP Ledger server's WebSocket API with as much of a ledger as the tests put there. */
export interface XrplServer {
  url: string;
  /** What `tx` gives, by hash in upper case. */
  transactions: Map<string, object>;
  /** Every request, as it came. */
  received: { command: string; transaction?: string; api_version?: number }[];
  /** The error code that the next requests are answered with, or `hang`; undefined: none. */
  fail: (error: string | undefined) => void;
  networkId: number | undefined;
  /** Connections that are open. */
  connections: () => number;
  close: () => Promise<void>;
}

export async function startXrplServer(): Promise<XrplServer> {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => sockets.once('listening', resolve));
  let failure: string | undefined;
  const server: XrplServer = {
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    transactions: new Map(),
    received: [],
    fail: (error) => {
      failure = error;
    },
    networkId: 0,
    connections: () => sockets.clients.size,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      return new Promise((resolve) => sockets.close(() => resolve()));
    },
  };
  sockets.on('connection', (socket: WebSocket) => {
    socket.on('message', (data) => {
      const request = JSON.parse(String(data));
      server.received.push(request);
      const refuse = (error: string) =>
        reply({ status: 'error', error, error_message: `${error}.`, request });
      const reply = (answer: object) =>
        socket.send(JSON.stringify({ id: request.id, type: 'response', ...answer }));
      if (failure === 'hang') return;
      if (failure !== undefined) return refuse(failure);
      if (request.command === 'server_info') {
        const info = { build_version: '2.6.0', network_id: server.networkId, server_state: 'full' };
        return reply({ status: 'success', result: { info } });
      }
      const found = server.transactions.get(request.transaction);
      if (!found) return refuse('txnNotFound');
      reply({ status: 'success', result: { hash: request.transaction, ...found } });
    });
  });
  return server;
}
