import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

/** The WebSocket API of an XRP Ledger server, with the transactions of the tests. */
export interface XrplServer {
  url: string;
  /** The answers of `tx`, by hash in upper case. */
  transactions: Map<string, object>;
  /** The flags of each account that exists. */
  accounts: Map<string, number>;
  /** The balance of each trust line as its low account sees it, by the key of `trustLine`. */
  trustLines: Map<string, { low: string; value: string }>;
  /** Every request as received. */
  received: { command: string; transaction?: string; account?: string; api_version?: number }[];
  /** Sets the error code of all following answers, or `hang`. Undefined: no error. */
  fail: (error: string | undefined) => void;
  /** Sets the error code of all following answers to one command. */
  failCommand: (command: string, error: string) => void;
  networkId: number | undefined;
  /** Ends the connection without a closing handshake right after the next answer. */
  dropsAfterAnswer: boolean;
  /** How many connections there have been. */
  connected: () => number;
  /** The number of open connections. */
  connections: () => number;
  close: () => Promise<void>;
}

/** The key of the trust line between two accounts. */
export const trustLine = (accounts: string[], currency: string): string =>
  [...accounts.toSorted(), currency].join(' ');

export async function startXrplServer(): Promise<XrplServer> {
  const sockets = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  await new Promise((resolve) => sockets.once('listening', resolve));
  let failure: string | undefined;
  const failures = new Map<string, string>();
  let connected = 0;
  const server: XrplServer = {
    url: `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`,
    transactions: new Map(),
    accounts: new Map(),
    trustLines: new Map(),
    received: [],
    fail: (error) => {
      failure = error;
      failures.clear();
    },
    failCommand: (command, error) => void failures.set(command, error),
    networkId: 0,
    dropsAfterAnswer: false,
    connected: () => connected,
    connections: () => sockets.clients.size,
    close: () => {
      for (const socket of sockets.clients) socket.terminate();
      return new Promise((resolve) => sockets.close(() => resolve()));
    },
  };
  sockets.on('connection', (socket: WebSocket) => {
    connected += 1;
    socket.on('message', (data) => {
      const request = JSON.parse(String(data));
      server.received.push(request);
      const refuse = (error: string) =>
        reply({ status: 'error', error, error_message: `${error}.`, request });
      const reply = (answer: object) =>
        socket.send(JSON.stringify({ id: request.id, type: 'response', ...answer }), () => {
          if (!server.dropsAfterAnswer || request.command === 'server_info') return;
          server.dropsAfterAnswer = false;
          socket.terminate();
        });
      if (failure === 'hang') return;
      const error = failure ?? failures.get(request.command);
      if (error !== undefined) return refuse(error);
      if (request.command === 'server_info') {
        const info = { build_version: '2.6.0', network_id: server.networkId, server_state: 'full' };
        return reply({ status: 'success', result: { info } });
      }
      if (request.command === 'account_info') {
        const Flags = server.accounts.get(request.account);
        if (Flags === undefined) return refuse('actNotFound');
        const account_data = { Account: request.account, Balance: '999999', Flags, Sequence: 7 };
        return reply({ status: 'success', result: { account_data, validated: true } });
      }
      if (request.command === 'account_tx') {
        return reply({ status: 'success', result: accountPage(server.transactions, request) });
      }
      if (request.command === 'ledger_entry') {
        const { accounts, currency } = request.ripple_state;
        const line = server.trustLines.get(trustLine(accounts, currency));
        if (!line) return refuse('entryNotFound');
        const node = {
          LedgerEntryType: 'RippleState',
          Balance: { currency, issuer: 'rrrrrrrrrrrrrrrrrrrrBZbvji', value: line.value },
          LowLimit: { currency, issuer: line.low, value: '0' },
          HighLimit: { currency, issuer: accounts.find((one: string) => one !== line.low), value: '0' },
        };
        return reply({ status: 'success', result: { node, validated: true } });
      }
      const found = server.transactions.get(request.transaction);
      if (!found) return refuse('txnNotFound');
      reply({ status: 'success', result: { hash: request.transaction, ...found } });
    });
  });
  return server;
}

interface Listed {
  validated: boolean;
  close_time_iso: string;
  tx_json: { Account: string; Destination?: string };
}

/** The answer of `account_tx`: validated transactions of the account, newest first. `marker` is the start of the page. */
function accountPage(
  transactions: XrplServer['transactions'],
  { account, limit, marker = 0 }: { account: string; limit: number; marker?: number },
): object {
  const all = [...transactions]
    .map(([hash, found]) => ({ hash, ...(found as Listed) }))
    .filter(({ validated, tx_json }) => validated && [tx_json.Account, tx_json.Destination].includes(account))
    .sort((a, b) => b.close_time_iso.localeCompare(a.close_time_iso));
  const end = marker + limit;
  const more = end < all.length ? { marker: end } : {};
  return { account, limit, transactions: all.slice(marker, end), validated: true, ...more };
}
