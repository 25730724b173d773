import { z } from 'zod';
import { NATIVE_SYMBOLS } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { invalid, judgePayment, type Transfer, type Verdict } from '../domain/payment-verdict.ts';
import { reasonOf } from '../domain/status-reasons.ts';
import { IS_ADDRESS } from './addresses.ts';
import { coinNotSearchable } from './bounded-search.ts';
import { boundedLook, ChainUnavailable } from './chain-unavailable.ts';
import { platformSenderIn } from './platform-addresses.ts';
import type { ChainVerifier, ExpectedPayment, ExpectedTransfer, TransferSearch } from './ports.ts';
import { searchTron } from './search-tron.ts';
import { tronAddressBytes } from './tron-address.ts';
import {
  inTokens,
  isTransaction,
  NATIVE_DECIMALS,
  Transaction,
  TransactionInfo,
  tronCoinTransfers,
  tronTokenTransfers,
} from './tron-transfers.ts';

/** Connection and tokens of Tron. */
export interface TronSettings {
  /** Base address of a full node's HTTP API, such as TronGrid's. */
  rpcUrl: string;
  /** Sent as `TRON-PRO-API-KEY`. */
  apiKey: string | null;
  /** TRC-20 tokens by symbol. */
  tokens: Record<string, { contract: string; decimals: number }>;
  depositAddress: string | null;
  reserveAddresses: readonly string[];
}

const CHAIN = 'trx';
const REQUEST_TIMEOUT_MS = 3_000;
const TX_HASH = /^[0-9a-f]{64}$/;
/** The statuses with which nodes without TronGrid's index of accounts answer its paths. */
const UNKNOWN_PATH = [400, 404, 405, 501];
const Constant = z.object({ constant_result: z.array(z.string().regex(/^[0-9a-f]*$/i)).default([]) });

/**
 * Verifies TRC-20 and TRX transfers in solidified blocks. Two thirds of Tron's block producers have built on such a block,
 * so it is never reverted.
 */
export function createTronVerifier(settings: TronSettings): ChainVerifier {
  const native = NATIVE_SYMBOLS[CHAIN];
  const usable = new Set<string>();
  const { depositAddress, reserveAddresses } = settings;
  const addresses = { depositAddress, depositTag: null, reserveAddresses };
  const platformSender = platformSenderIn(addresses, (own, sender) => tronAddressBytes(own) === sender);
  return {
    tokens: new Map([
      [native, NATIVE_DECIMALS],
      ...Object.entries(settings.tokens).map(([symbol, { decimals }]) => [symbol, decimals] as const),
    ]),
    isAddress: IS_ADDRESS.trx,
    tokenAddresses: Object.values(settings.tokens).map(({ contract }) => contract),
    isTxHash: (hash) => TX_HASH.test(hash),
    ...addresses,
    tags: null,
    balance: (address, symbol) => boundedLook(CHAIN, balanceOf(address, symbol)),
    simulated: false,
    verify: (payment) => boundedLook(CHAIN, verify(payment)),
    findTransfer: (transfer) => boundedLook(CHAIN, findTransfer(transfer)),
  };

  async function verify({ txHash, ...terms }: ExpectedPayment): Promise<Verdict> {
    if (!TX_HASH.test(txHash)) return invalid(reasonOf('not_a_transaction_hash', { chain: CHAIN }));
    const hash = { value: txHash };
    const [info] = await Promise.all([
      ask('walletsolidity/gettransactioninfobyid', hash, TransactionInfo),
      requireUsable(terms.symbol),
    ]);
    if (info.blockNumber === undefined || info.blockTimeStamp === undefined) {
      const unsolidified = await ask('wallet/gettransactioninfobyid', hash, TransactionInfo);
      return unsolidified.blockNumber === undefined
        ? { kind: 'not_found' }
        : { kind: 'pending', confirmations: `block ${unsolidified.blockNumber} is not solidified` };
    }
    // A successful plain transfer has no result field.
    const failure = [info.receipt?.result, info.result].find((result = 'SUCCESS') => result !== 'SUCCESS');
    if (failure) return invalid(reasonOf('transaction_failed', { failure }));
    const to = tronAddressBytes(terms.recipient);
    const sent =
      terms.symbol === native
        ? tronCoinTransfers(await solidified(hash), to)
        : tronTokenTransfers(info.log, token(terms.symbol), to);
    const transfers = sent.map(
      ({ from, amount }): Transfer => ({ amount, platformSender: platformSender(from) }),
    );
    return judgePayment(terms, { at: new Date(info.blockTimeStamp), transfers });
  }

  /** One name may stand for several nodes, and one of them may lag by seconds. A transaction that it does not know is not invalid. */
  async function solidified(hash: { value: string }): Promise<z.output<typeof Transaction>> {
    const transaction = await ask('walletsolidity/gettransactionbyid', hash, Transaction);
    if (isTransaction(transaction)) return transaction;
    throw new ChainUnavailable(CHAIN, 'the node does not return a transaction that is solidified');
  }

  async function findTransfer(transfer: ExpectedTransfer): Promise<TransferSearch> {
    const { symbol, amount } = transfer;
    if (symbol === native) return coinNotSearchable(symbol);
    await requireUsable(symbol);
    const { contract, decimals } = token(symbol);
    const units = decimal(amount).times(decimal(10).pow(decimals)).toFixed();
    const isFromPlatform = (from: string) => platformSender(tronAddressBytes(from) ?? '') !== null;
    return searchTron({ contract, units, isFromPlatform, get }, transfer);
  }

  /** Sends a GET. Undefined: the node does not know the path. */
  async function get(path: string): Promise<unknown> {
    const { status, answer } = await send(path);
    if (UNKNOWN_PATH.includes(status)) return undefined;
    if (status !== 200) throw new ChainUnavailable(CHAIN, `HTTP ${status} (${withoutQuery(path)})`);
    return answer;
  }

  async function balanceOf(address: string, symbol: string): Promise<string> {
    const { contract, decimals } = token(symbol);
    const bytes = tronAddressBytes(address);
    if (bytes === undefined) throw new ChainUnavailable(CHAIN, 'the address is not a Tron address');
    const [units] = await Promise.all([
      callContract(contract, 'balanceOf(address)', bytes.padStart(64, '0')),
      requireUsable(symbol),
    ]);
    if (units === undefined)
      throw new ChainUnavailable(CHAIN, `the contract of ${symbol} does not return the balance`);
    return inTokens(units.toString(), decimals);
  }

  /**
   * The number that a function of a contract returns in the newest solidified block. Undefined: it returns no number.
   */
  async function callContract(
    contract: string,
    function_selector: string,
    parameter?: string,
  ): Promise<bigint | undefined> {
    const addresses = { owner_address: contract, contract_address: contract, visible: true };
    const call = { ...addresses, function_selector, ...(parameter === undefined ? {} : { parameter }) };
    const { constant_result } = await ask('walletsolidity/triggerconstantcontract', call, Constant);
    return constant_result[0] ? BigInt(`0x${constant_result[0]}`) : undefined;
  }

  function token(symbol: string) {
    const known = settings.tokens[symbol];
    if (!known) throw new ChainUnavailable(CHAIN, `no contract of ${symbol} is configured`);
    return known;
  }

  /** Checks once for each token that the contract has the configured decimals. */
  async function requireUsable(symbol: string): Promise<void> {
    if (symbol === native || usable.has(symbol)) return;
    const { contract, decimals } = token(symbol);
    const answer = await callContract(contract, 'decimals()');
    const actual = answer === undefined ? undefined : Number(answer);
    if (actual !== decimals) {
      const found = actual === undefined ? 'does not return its decimals' : `has ${actual} decimals`;
      throw new ChainUnavailable(CHAIN, `the contract of ${symbol} ${found}, the settings say ${decimals}`);
    }
    usable.add(symbol);
  }

  async function ask<T>(path: string, body: object, schema: z.ZodType<T>): Promise<T> {
    const { status, answer } = await send(path, body);
    if (status < 200 || status > 299) throw new ChainUnavailable(CHAIN, `HTTP ${status} (${path})`);
    // A refusal may have status 200 too. It must not count as a missing transaction.
    if (typeof answer !== 'object' || answer === null || 'Error' in answer) {
      throw new ChainUnavailable(CHAIN, `the node refused (${path})`);
    }
    const read = schema.safeParse(answer);
    if (!read.success)
      throw new ChainUnavailable(CHAIN, `the node’s answer has an unexpected form (${path})`);
    return read.data;
  }

  /** A POST, or a GET without a body. `answer` is undefined if it is not JSON. */
  async function send(path: string, body?: object): Promise<{ status: number; answer: unknown }> {
    const response = await fetch(`${settings.rpcUrl}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: {
        'content-type': 'application/json',
        ...(settings.apiKey ? { 'TRON-PRO-API-KEY': settings.apiKey } : {}),
      },
      body: body ? JSON.stringify(body) : null,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    }).catch((error: Error) => {
      const why =
        error.name === 'TimeoutError' ? `no answer within ${REQUEST_TIMEOUT_MS} ms` : 'no connection';
      throw new ChainUnavailable(CHAIN, `${why} (${withoutQuery(path)})`);
    });
    return { status: response.status, answer: parsed(await response.text().catch(() => '')) };
  }
}

const withoutQuery = (path: string): string => path.replace(/\?.*/, '');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
