import { Client, RippledError, TimeoutError } from 'xrpl';
import { z } from 'zod';
import { ChainUnavailable } from './chain-unavailable.ts';

export const CHAIN = 'xrpl';
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 2_500;
/**
 * How often the library pings. If we disconnect before a ping is answered, the library connects again, and nobody closes that
 * connection. So this is longer than any connection lasts.
 */
const PING_EVERY_MS = 60_000;
const ServerInfo = z.object({ info: z.object({ network_id: z.number().optional() }) });

type Question =
  | { command: 'tx'; transaction: string }
  | {
      command: 'account_tx';
      account: string;
      ledger_index_min: number;
      ledger_index_max: number;
      limit: number;
      marker?: unknown;
    }
  | { command: 'account_info'; account: string; ledger_index: 'validated' }
  | {
      command: 'ledger_entry';
      ripple_state: { accounts: [string, string]; currency: string };
      ledger_index: 'validated';
    };

/**
 * Sends one request to the server, and rejects with a `ChainUnavailable` that says what failed. `instead`: the results
 * to return for some of the server's error codes.
 */
type XrplAsk = <T, Instead>(
  schema: z.ZodType<T>,
  request: Question,
  instead: Readonly<Record<string, Instead>>,
) => Promise<T | Instead>;

/** Each request opens its own connection, so that no code has to notice a broken one. */
export function createXrplRequests({ rpcUrl, networkId }: { rpcUrl: string; networkId: number }): XrplAsk {
  let isNetworkChecked = false;
  return async (schema, request, instead) => {
    const { connection } = new Client(rpcUrl, {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      timeout: PING_EVERY_MS,
    });
    try {
      await connection.connect();
      if (!isNetworkChecked) {
        const about = await connection.request(
          { command: 'server_info', api_version: 2 },
          REQUEST_TIMEOUT_MS,
        );
        requireNetwork(read(ServerInfo, about).info.network_id);
      }
      return read(schema, await connection.request({ ...request, api_version: 2 }, REQUEST_TIMEOUT_MS));
    } catch (error) {
      const code = error instanceof RippledError ? String(errorCode(error)) : '';
      const replacement = Object.hasOwn(instead, code) ? instead[code] : undefined;
      if (replacement !== undefined) return replacement;
      throw unavailable(error);
    } finally {
      close(connection);
    }
  };

  /** The main network, whose number is 0, may name none. */
  function requireNetwork(id = 0): void {
    if (id !== networkId) {
      throw new ChainUnavailable(CHAIN, `its server is on network ${id}, not ${networkId}`);
    }
    isNetworkChecked = true;
  }
}

/** Closes a connection without waiting, because a server that has answered may not answer the closing. */
function close(connection: Client['connection']): void {
  const disconnect = () => void connection.disconnect().catch(() => undefined);
  // If the server ends the connection in another way, the library plans another one right after this event.
  connection.on('disconnected', () => queueMicrotask(disconnect));
  disconnect();
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = z.object({ result: schema }).safeParse(answer);
  if (!parsed.success) throw new ChainUnavailable(CHAIN, 'the server’s answer has an unexpected form');
  return parsed.data.result;
}

const errorCode = (error: RippledError): unknown => (error.data as { error?: unknown } | undefined)?.error;

/** The library's messages contain addresses and requests. The new error names only what failed. */
function unavailable(error: unknown): ChainUnavailable {
  if (error instanceof ChainUnavailable) return error;
  if (error instanceof TimeoutError) return new ChainUnavailable(CHAIN, 'no answer in time');
  if (error instanceof RippledError) {
    return new ChainUnavailable(CHAIN, `the server refused (${String(errorCode(error))})`);
  }
  return new ChainUnavailable(CHAIN, `no connection (${(error as Error).name})`);
}
