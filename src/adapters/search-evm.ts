import {
  BaseError,
  erc20Abi,
  getAddress,
  HttpRequestError,
  type Log,
  type PublicClient,
  ResponseBodyTooLargeError,
  RpcRequestError,
} from 'viem';
import { boundedSearch } from './bounded-search.ts';
import type { ExpectedTransfer, TransferSearch } from './ports.ts';

/** Nodes limit the blocks of one `eth_getLogs`, most to 10,000 or less. */
const MOST_BLOCKS = 10_000n;
/** A node that refuses even this many blocks cannot be searched. */
const FEWEST_BLOCKS = 100n;
/** Each is one `eth_getLogs` and, if it finds nothing, one `eth_getBlockByNumber`. */
const MOST_RANGES = 20;
/** HTTP statuses that concern the node or its key, and not the request. */
const NOT_THE_REQUEST = [401, 403, 408, 429];

/** The last block of a range, and how many blocks it has. */
interface Range {
  to: bigint;
  size: bigint;
}

export interface EvmSearch {
  /** Without retries: the search halves a refused range instead. */
  client: PublicClient;
  contract: string;
  /** Whether a log of the contract is the transfer. */
  isTransfer: (log: Log) => boolean;
  ask: <T>(what: string, answer: Promise<T>) => Promise<T>;
}

/** Searches the `Transfer` events of a token to the recipient, from the newest block back to the announcement. */
export async function searchEvm(
  { client, contract, isTransfer, ask }: EvmSearch,
  { recipient, notBefore }: ExpectedTransfer,
): Promise<TransferSearch> {
  const head = await ask('the newest block', client.getBlockNumber());
  return boundedSearch<Range>(MOST_RANGES, { to: head, size: MOST_BLOCKS }, async ({ to, size }) => {
    const from = to < size ? 0n : to - size + 1n;
    const logs = await ask('the transfers', transfersIn(from, to));
    if (logs === 'refused') return size / 2n < FEWEST_BLOCKS ? 'refused' : { next: { to, size: size / 2n } };
    const newest = logs.findLast(isTransfer);
    if (newest) {
      const isNewEnough = (await timeOf(newest.blockNumber)) >= notBefore;
      return isNewEnough ? { txHash: newest.transactionHash.slice(2) } : {};
    }
    const goesOn = from > 0n && (await timeOf(from)) >= notBefore;
    return goesOn ? { next: { to: from - 1n, size } } : {};
  });

  /** Returns the transfers in the order of the chain. */
  function transfersIn(fromBlock: bigint, toBlock: bigint) {
    const address = getAddress(contract);
    return client
      .getContractEvents({
        ...{ address, abi: erc20Abi, eventName: 'Transfer', args: { to: getAddress(recipient) } },
        ...{ fromBlock, toBlock, strict: true },
      })
      .catch((error) => {
        if (isRefusal(error)) return 'refused' as const;
        throw error;
      });
  }

  async function timeOf(blockNumber: bigint): Promise<Date> {
    const { timestamp } = await ask('the block', client.getBlock({ blockNumber }));
    return new Date(Number(timestamp) * 1_000);
  }
}

/**
 * Whether the node answered that it does not serve the request. Nodes have no common code for too many blocks or logs
 * (-32000, -32005, -32602 and HTTP 400 and 413 occur), so every refusal counts as one. So does an answer that is too large to read:
 * anybody can send many transfers of nothing to an address.
 */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false;
  if (error.walk((e) => e instanceof ResponseBodyTooLargeError)) return true;
  const answer = error.walk((e) => e instanceof RpcRequestError || e instanceof HttpRequestError);
  if (answer instanceof RpcRequestError) return !NOT_THE_REQUEST.includes(answer.status ?? 200);
  const status = answer instanceof HttpRequestError ? (answer.status ?? 500) : 500;
  return status < 500 && !NOT_THE_REQUEST.includes(status);
}
