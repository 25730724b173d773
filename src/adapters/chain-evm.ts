import {
  BaseError,
  createPublicClient,
  erc20Abi,
  formatUnits,
  getAddress,
  type Hash,
  http,
  type Log,
  parseEventLogs,
  TransactionReceiptNotFoundError,
} from 'viem';
import { type Chain, NATIVE_SYMBOLS } from '../domain/assets.ts';
import { decimal } from '../domain/money.ts';
import { invalid, judgePayment, type Transfer, type Verdict } from '../domain/payment-verdict.ts';
import { reasonOf } from '../domain/status-reasons.ts';
import { IS_ADDRESS, isSameAddress } from './addresses.ts';
import { coinNotSearchable } from './bounded-search.ts';
import { boundedLook, ChainUnavailable } from './chain-unavailable.ts';
import { platformSenderIn } from './platform-addresses.ts';
import type { ChainVerifier, ExpectedPayment, ExpectedTransfer, TransferSearch } from './ports.ts';
import { searchEvm } from './search-evm.ts';

/** Connection and tokens of one EVM chain. */
export interface EvmSettings {
  /** JSON-RPC over HTTP. May contain a key. */
  rpcUrl: string;
  /** The chain's id. Corridor does not trust a node of another network. */
  chainId: number;
  /** ERC-20 tokens by symbol. */
  tokens: Record<string, { contract: string; decimals: number }>;
  /** Blocks that make a transaction final, including its own. Null: the node's `finalized` block decides. */
  confirmations: number | null;
  depositAddress: string | null;
  reserveAddresses: readonly string[];
}

/** Per request. A failed request is repeated once if the check still has time. */
const REQUEST_TIMEOUT_MS = 3_500;
const NATIVE_DECIMALS = 18;
const TX_HASH = /^[0-9a-f]{64}$/;

/** Verifies ERC-20 transfers, and transfers of the chain's own coin as the transaction's value. */
export function createEvmVerifier(chain: Chain, settings: EvmSettings): ChainVerifier {
  const transport = http(settings.rpcUrl, { timeout: REQUEST_TIMEOUT_MS, retryCount: 1, retryDelay: 100 });
  const client = createPublicClient({ transport, cacheTime: 0 });
  const once = http(settings.rpcUrl, { timeout: REQUEST_TIMEOUT_MS, retryCount: 0 });
  const searcher = createPublicClient({ transport: once, cacheTime: 0 });
  const native = NATIVE_SYMBOLS[chain];
  const usable = new Map<string, true>();
  const { depositAddress, reserveAddresses } = settings;
  const addresses = { depositAddress, depositTag: null, reserveAddresses };
  const platformSender = platformSenderIn(addresses, (own, sender) => isSameAddress(chain, own, sender));

  return {
    tokens: new Map([
      [native, NATIVE_DECIMALS],
      ...Object.entries(settings.tokens).map(([symbol, { decimals }]) => [symbol, decimals] as const),
    ]),
    isAddress: IS_ADDRESS[chain],
    tokenAddresses: Object.values(settings.tokens).map(({ contract }) => contract),
    isTxHash: (hash) => TX_HASH.test(hash),
    ...addresses,
    tags: null,
    balance: (address, symbol) => boundedLook(chain, balanceOf(address, symbol)),
    simulated: false,
    verify: (payment) => boundedLook(chain, verify(payment)),
    findTransfer: (transfer) => boundedLook(chain, findTransfer(transfer)),
  };

  async function verify({ txHash, ...terms }: ExpectedPayment): Promise<Verdict> {
    if (!TX_HASH.test(txHash)) return invalid(reasonOf('not_a_transaction_hash', { chain }));
    const hash: Hash = `0x${txHash}`;
    const [receipt, finalUpTo] = await Promise.all([
      ask('the receipt', client.getTransactionReceipt({ hash }).catch(nullIfUnknown)),
      lastFinalBlock(),
      requireUsable(terms.symbol),
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
    if (status === 'reverted') return invalid(reasonOf('transaction_reverted'));
    // A verdict is final, so a status that the library does not know must not become one.
    if (status !== 'success') throw new ChainUnavailable(chain, 'the receipt has no known status');

    const at = new Date(Number(block.timestamp) * 1_000);
    const to = terms.recipient.toLowerCase();
    const sent = transaction
      ? transaction.to?.toLowerCase() === to &&
        transaction.from.toLowerCase() !== to &&
        transaction.value > 0n
        ? [{ from: transaction.from, amount: formatUnits(transaction.value, NATIVE_DECIMALS) }]
        : []
      : tokenTransfers(receipt.logs, token(terms.symbol), to);
    // The platform may also pay through a contract, which then sends the tokens while the platform signs.
    const transfers = sent.map(
      ({ from, amount }): Transfer => ({ amount, platformSender: platformSender(from, receipt.from) }),
    );
    return judgePayment(terms, { at, transfers });
  }

  async function findTransfer(transfer: ExpectedTransfer): Promise<TransferSearch> {
    const { symbol, amount } = transfer;
    if (symbol === native) return coinNotSearchable(symbol);
    await requireUsable(symbol);
    const to = transfer.recipient.toLowerCase();
    const isTransfer = (log: Log) =>
      tokenTransfers([log], token(symbol), to).some(
        (paid) =>
          decimal(paid.amount).eq(amount) && (transfer.platformMaySend || platformSender(paid.from) === null),
      );
    const search = { client: searcher, contract: token(symbol).contract, isTransfer, ask };
    return searchEvm(search, transfer);
  }

  /** Reads the newest block, which includes every final transaction. */
  async function balanceOf(address: string, symbol: string): Promise<string> {
    const { contract, decimals } = token(symbol);
    const [units] = await Promise.all([
      ask(
        `the balance of ${symbol}`,
        client.readContract({
          address: getAddress(contract),
          abi: erc20Abi,
          functionName: 'balanceOf',
          args: [getAddress(address)],
        }),
      ),
      requireUsable(symbol),
    ]);
    return formatUnits(units, decimals);
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
      throw new ChainUnavailable(chain, `its node has no finalized block; set ${setting}`);
    });
    return (await ask('the finalized block', finalized)).number;
  }

  function token(symbol: string) {
    const known = settings.tokens[symbol];
    if (!known) throw new ChainUnavailable(chain, `no contract of ${symbol} is configured`);
    return known;
  }

  /** Checks once for each token that the node serves this chain and that the contract has the configured decimals. */
  async function requireUsable(symbol: string): Promise<void> {
    if (usable.has(symbol)) return;
    const [chainId, decimals] = await Promise.all([
      ask('the chain id', client.getChainId()),
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
      const configured = `the settings say ${token(symbol).decimals}`;
      throw new ChainUnavailable(chain, `the contract of ${symbol} has ${decimals} decimals, ${configured}`);
    }
    usable.set(symbol, true);
  }
}

/** `Transfer` events of the token's own contract to an address. Other contracts may emit events that look the same. */
function tokenTransfers(
  logs: Log[],
  { contract, decimals }: { contract: string; decimals: number },
  to: string,
): { from: string; amount: string }[] {
  const own = logs.filter((log) => log.address.toLowerCase() === contract.toLowerCase());
  return parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs: own })
    .filter(({ args }) => args.to.toLowerCase() === to && args.from.toLowerCase() !== to && args.value > 0n)
    .map(({ args }) => ({ from: args.from, amount: formatUnits(args.value, decimals) }));
}

/** Whether the node answered that it does not know the block that the request names. */
const refusedByNode = (error: BaseError): boolean =>
  error.walk((e) => ['RpcRequestError', 'BlockNotFoundError'].includes((e as Error).name)) !== null;

function nullIfUnknown(error: unknown): null {
  if (error instanceof TransactionReceiptNotFoundError) return null;
  throw error;
}

/** viem's messages contain the node's address and the whole request. The new error names only what failed. */
function unavailable(chain: Chain, what: string, error: unknown): ChainUnavailable {
  if (error instanceof ChainUnavailable) return error;
  if (!(error instanceof BaseError)) return new ChainUnavailable(chain, `${what}: ${(error as Error).name}`);
  const status = (error.walk((e) => 'status' in (e as object)) as { status?: number } | null)?.status;
  const code = (error.walk((e) => 'code' in (e as object)) as { code?: unknown } | null)?.code;
  const detail = status ? ` (HTTP ${status})` : typeof code === 'number' ? ` (code ${code})` : '';
  return new ChainUnavailable(chain, `${what}: ${error.shortMessage.replace(/\.$/, '')}${detail}`);
}
