import {
  BaseError,
  createPublicClient,
  erc20Abi,
  formatUnits,
  getAddress,
  type Hash,
  http,
  isAddress,
  type Log,
  parseEventLogs,
  TransactionReceiptNotFoundError,
} from 'viem';
import { type Chain, NATIVE_SYMBOLS } from '../domain/assets.ts';
import { judgePayment, type Verdict } from '../domain/payment-verdict.ts';
import { boundedLook, ChainUnavailable } from './chain-unavailable.ts';
import type { ChainVerifier, ExpectedPayment } from './ports.ts';

/** How one EVM chain is reached, and what counts on it. */
export interface EvmSettings {
  /** JSON-RPC over HTTP; may have a key in it. */
  rpcUrl: string;
  /** The chain's own number: a node of another network must not be believed. */
  chainId: number;
  /** ERC-20 tokens by symbol. */
  tokens: Record<string, { contract: string; decimals: number }>;
  /** Blocks that make a transaction final, its own counted; null: the node's `finalized` block decides. */
  confirmations: number | null;
  depositAddress: string | null;
}

/** Per request; one that fails is repeated once, as far as the look has time for it. */
const REQUEST_TIMEOUT_MS = 3_500;
const NATIVE_DECIMALS = 18;
const TX_HASH = /^[0-9a-f]{64}$/;

/** Whether a text is an address of an EVM chain: hexadecimal, its checksum right where it has one. */
export const isEvmAddress = (text: string): boolean => isAddress(text, { strict: !isOneCase(text) });
const isOneCase = (text: string) => text.slice(2) === text.slice(2).toLowerCase();

/** Verifies ERC-20 transfers, and transfers of the chain's own coin that are the transaction's own value. */
export function createEvmVerifier(chain: Chain, settings: EvmSettings): ChainVerifier {
  const transport = http(settings.rpcUrl, { timeout: REQUEST_TIMEOUT_MS, retryCount: 1, retryDelay: 100 });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const native = NATIVE_SYMBOLS[chain];
  const sound = new Map<string, true>();

  return {
    tokens: new Map([
      [native, NATIVE_DECIMALS],
      ...Object.entries(settings.tokens).map(([symbol, { decimals }]) => [symbol, decimals] as const),
    ]),
    isAddress: isEvmAddress,
    isTxHash: (hash) => TX_HASH.test(hash),
    depositAddress: settings.depositAddress,
    simulated: false,
    verify: (payment) => boundedLook(chain, verify(payment)),
  };

  async function verify({ txHash, ...terms }: ExpectedPayment): Promise<Verdict> {
    if (!TX_HASH.test(txHash)) return { kind: 'invalid', reason: `This is no transaction hash of ${chain}` };
    const hash: Hash = `0x${txHash}`;
    const [receipt, finalUpTo] = await Promise.all([
      ask('the receipt', client.getTransactionReceipt({ hash }).catch(nullIfUnknown)),
      lastFinalBlock(),
      requireSound(terms.symbol),
    ]);
    if (!receipt) return { kind: 'not_found' };
    const { blockNumber, blockHash, status } = receipt;
    if (blockNumber > finalUpTo) {
      return { kind: 'pending', confirmations: `it is in block ${blockNumber}, final is ${finalUpTo}` };
    }
    const [block, transaction] = await Promise.all([
      ask('the block', client.getBlock({ blockNumber })),
      terms.symbol === native ? ask('the transaction', client.getTransaction({ hash })) : null,
    ]);
    if (block.hash !== blockHash) return { kind: 'pending', confirmations: 'its block is being replaced' };
    if (status !== 'success') return { kind: 'invalid', reason: 'The transaction was reverted' };

    const at = new Date(Number(block.timestamp) * 1_000);
    const to = terms.recipient.toLowerCase();
    const transfers = transaction
      ? transaction.to?.toLowerCase() === to &&
        transaction.from.toLowerCase() !== to &&
        transaction.value > 0n
        ? [formatUnits(transaction.value, NATIVE_DECIMALS)]
        : []
      : tokenTransfers(receipt.logs, token(terms.symbol), to);
    return judgePayment(terms, { at, transfers });
  }

  function ask<T>(what: string, answer: Promise<T>): Promise<T> {
    return answer.catch((error) => {
      throw unavailable(chain, what, error);
    });
  }

  async function lastFinalBlock(): Promise<bigint> {
    const { confirmations } = settings;
    if (confirmations !== null)
      return (await ask('the newest block', client.getBlockNumber())) - BigInt(confirmations) + 1n;
    const finalized = client.getBlock({ blockTag: 'finalized' }).catch((error) => {
      if (!(error instanceof BaseError) || !refusedByNode(error)) throw error;
      const setting = `CHAIN_${chain.toUpperCase()}_CONFIRMATIONS`;
      throw new ChainUnavailable(chain, `its node names no finalized block; set ${setting}`);
    });
    return (await ask('the finalized block', finalized)).number;
  }

  function token(symbol: string) {
    const known = settings.tokens[symbol];
    if (!known) throw new ChainUnavailable(chain, `no contract of ${symbol} is configured`);
    return known;
  }

  /** Once for each token: that the node is of this chain, and that the contract counts as the settings say. */
  async function requireSound(symbol: string): Promise<void> {
    if (sound.has(symbol)) return;
    const [chainId, decimals] = await Promise.all([
      ask('the chain’s number', client.getChainId()),
      symbol === native
        ? null
        : ask(
            `the decimals of ${symbol}`,
            client.readContract({
              address: getAddress(token(symbol).contract),
              abi: erc20Abi,
              functionName: 'decimals',
            }),
          ),
    ]);
    if (chainId !== settings.chainId) {
      throw new ChainUnavailable(chain, `its node is of chain ${chainId}, not ${settings.chainId}`);
    }
    if (decimals !== null && decimals !== token(symbol).decimals) {
      const told = `the settings say ${token(symbol).decimals}`;
      throw new ChainUnavailable(chain, `the contract of ${symbol} has ${decimals} decimals, ${told}`);
    }
    sound.set(symbol, true);
  }
}

/** `Transfer` events of the token's own contract to an address; others may write events that look the same. */
function tokenTransfers(
  logs: Log[],
  { contract, decimals }: { contract: string; decimals: number },
  to: string,
): string[] {
  const own = logs.filter((log) => log.address.toLowerCase() === contract.toLowerCase());
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: own })
    .filter(({ args }) => args.to.toLowerCase() === to && args.from.toLowerCase() !== to && args.value > 0n)
    .map(({ args }) => formatUnits(args.value, decimals));
}

/** The node has answered, and does not know what it was asked for. */
const refusedByNode = (error: BaseError): boolean =>
  error.walk((e) => ['RpcRequestError', 'BlockNotFoundError'].includes((e as Error).name)) !== null;

function nullIfUnknown(error: unknown): null {
  if (error instanceof TransactionReceiptNotFoundError) return null;
  throw error;
}

/** viem's messages carry the node's address and the whole request: only what failed is kept. */
function unavailable(chain: Chain, what: string, error: unknown): ChainUnavailable {
  if (error instanceof ChainUnavailable) return error;
  if (!(error instanceof BaseError)) return new ChainUnavailable(chain, `${what}: ${(error as Error).name}`);
  const status = (error.walk((e) => 'status' in (e as object)) as { status?: number } | null)?.status;
  const code = (error.walk((e) => 'code' in (e as object)) as { code?: unknown } | null)?.code;
  const detail = status ? ` (HTTP ${status})` : typeof code === 'number' ? ` (code ${code})` : '';
  return new ChainUnavailable(chain, `${what}: ${error.shortMessage.replace(/\.$/, '')}${detail}`);
}
