import { Client, isValidClassicAddress, RippledError, rippleTimeToISOTime, TimeoutError } from 'xrpl';
import { z } from 'zod';
import { NATIVE_SYMBOLS } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { judgePayment, type Verdict } from '../domain/payment-verdict.ts';
import { boundedLook, ChainUnavailable } from './chain-unavailable.ts';
import type { ChainVerifier, ExpectedPayment } from './ports.ts';

/** How the XRP Ledger is reached, and what counts on it. */
export interface XrplSettings {
  /** WebSocket address of a server; may have a key in it. */
  rpcUrl: string;
  /** The network's own number: a server of another network must not be believed. */
  networkId: number;
  /** Issued currencies by symbol: three letters, or 40 hexadecimal digits in upper case. */
  tokens: Record<string, { issuer: string; currency: string }>;
  depositAddress: string | null;
}

const CHAIN = 'xrpl';
const CONNECT_TIMEOUT_MS = 3_000;
const REQUEST_TIMEOUT_MS = 2_500;
const TX_HASH = /^[0-9a-f]{64}$/;
const DROPS_PER_XRP = 1_000_000;
const XRP_DECIMALS = 6;
/** Issued amounts have 15 significant digits wherever the point is; all that is ever asked for fits into them. */
const ISSUED_DECIMALS = 15;

const issued = z.object({ currency: z.string(), issuer: z.string(), value: z.string() });
const Found = z.object({
  validated: z.boolean().default(false),
  ledger_index: z.number().optional(),
  close_time_iso: z.string().optional(),
  tx_json: z.object({
    TransactionType: z.string(),
    Account: z.string(),
    Destination: z.string().optional(),
    date: z.number().optional(),
  }),
  meta: z
    .object({
      TransactionResult: z.string(),
      // A text is drops of XRP, or "unavailable".
      delivered_amount: z.union([z.string(), issued]).optional().catch(undefined),
    })
    .optional(),
});
type Found = z.output<typeof Found>;
const ServerInfo = z.object({ info: z.object({ network_id: z.number().optional() }) });

/** Verifies payments of XRP and of issued currencies in validated ledgers, by what was delivered. */
export function createXrplVerifier(settings: XrplSettings): ChainVerifier {
  const native = NATIVE_SYMBOLS[CHAIN];
  let networkIsRight = false;
  return {
    tokens: new Map([
      [native, XRP_DECIMALS],
      ...Object.keys(settings.tokens).map((symbol) => [symbol, ISSUED_DECIMALS] as const),
    ]),
    isAddress: (text) => isValidClassicAddress(text),
    isTxHash: (hash) => TX_HASH.test(hash),
    depositAddress: settings.depositAddress,
    simulated: false,
    verify: (payment) => boundedLook(CHAIN, verify(payment)),
  };

  async function verify({ txHash, ...terms }: ExpectedPayment): Promise<Verdict> {
    if (!TX_HASH.test(txHash)) return { kind: 'invalid', reason: `This is no transaction hash of ${CHAIN}` };
    const found = await transaction(txHash.toUpperCase());
    if (!found) return { kind: 'not_found' };
    const { validated, ledger_index, tx_json, meta } = found;
    if (!validated || !meta) {
      return { kind: 'pending', confirmations: `ledger ${ledger_index ?? '(none yet)'} is not validated` };
    }
    const { TransactionResult: result, delivered_amount: delivered } = meta;
    if (result !== 'tesSUCCESS') return { kind: 'invalid', reason: `The transaction failed: ${result}` };
    if (tx_json.TransactionType !== 'Payment') {
      return { kind: 'invalid', reason: `The transaction is a ${tx_json.TransactionType}, not a payment` };
    }
    const reaches = tx_json.Destination === terms.recipient && tx_json.Account !== terms.recipient;
    const amount = deliveredOf(terms.symbol, delivered);
    return judgePayment(terms, { at: timeOf(found), transfers: reaches && amount ? [amount] : [] });
  }

  /** What arrived of a token, whatever `Amount` says: a partial payment delivers less, or next to nothing. */
  function deliveredOf(symbol: string, delivered: NonNullable<Found['meta']>['delivered_amount']) {
    if (delivered === undefined) return undefined;
    if (symbol === native) {
      const isDrops = typeof delivered === 'string' && /^\d+$/.test(delivered);
      return isDrops ? decimal(delivered).div(DROPS_PER_XRP).toFixed() : undefined;
    }
    const token = settings.tokens[symbol];
    if (!token) throw new ChainUnavailable(CHAIN, `no issuer of ${symbol} is configured`);
    if (typeof delivered === 'string' || delivered.issuer !== token.issuer) return undefined;
    const currency = delivered.currency.length === 40 ? delivered.currency.toUpperCase() : delivered.currency;
    return currency === token.currency ? decimal(delivered.value).toFixed() : undefined;
  }

  /** A connection for each look: nothing is kept open, and nothing has to notice that it broke. */
  async function transaction(hash: string): Promise<Found | null> {
    const { connection } = new Client(settings.rpcUrl, {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      timeout: REQUEST_TIMEOUT_MS,
    });
    try {
      await connection.connect();
      if (!networkIsRight) {
        const about = await connection.request({ command: 'server_info', api_version: 2 });
        requireNetwork(read(ServerInfo, about).info.network_id);
      }
      const answer = await connection.request({ command: 'tx', transaction: hash, api_version: 2 });
      return read(Found, answer);
    } catch (error) {
      if (error instanceof RippledError && errorCode(error) === 'txnNotFound') return null;
      throw unavailable(error);
    } finally {
      // Its failure is that of a connection that is no longer there.
      await connection.disconnect().catch(() => undefined);
    }
  }

  function requireNetwork(id: number | undefined): void {
    if (id !== undefined && id !== settings.networkId) {
      throw new ChainUnavailable(CHAIN, `its server is of network ${id}, not ${settings.networkId}`);
    }
    networkIsRight = true;
  }
}

function read<T>(schema: z.ZodType<T>, answer: unknown): T {
  const parsed = z.object({ result: schema }).safeParse(answer);
  if (!parsed.success) throw new ChainUnavailable(CHAIN, 'the server’s answer is of another form');
  return parsed.data.result;
}

function timeOf({ close_time_iso, tx_json }: Found): Date {
  if (close_time_iso !== undefined) return new Date(close_time_iso);
  if (tx_json.date !== undefined) return new Date(rippleTimeToISOTime(tx_json.date));
  throw new ChainUnavailable(CHAIN, 'the server does not tell when the ledger was closed');
}

const errorCode = (error: RippledError): unknown => (error.data as { error?: unknown } | undefined)?.error;

/** The library's messages carry addresses and requests: only what failed is kept. */
function unavailable(error: unknown): ChainUnavailable {
  if (error instanceof ChainUnavailable) return error;
  if (error instanceof TimeoutError) return new ChainUnavailable(CHAIN, 'no answer in time');
  if (error instanceof RippledError) {
    return new ChainUnavailable(CHAIN, `the server refused (${String(errorCode(error))})`);
  }
  return new ChainUnavailable(CHAIN, `no connection (${(error as Error).name})`);
}
