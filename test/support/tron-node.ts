import { createHash } from 'node:crypto';
import { type JsonReply, type JsonRequest, type JsonServer, startJsonServer } from './json-server.ts';

/** A Tron transaction, as `gettransactioninfobyid` and `gettransactionbyid` return it. */
export interface TronTransaction {
  info: object;
  transaction?: object;
  solidified: boolean;
}

/** The HTTP API of a full node, with the transactions of the tests. */
export interface TronNode {
  server: JsonServer;
  /** By hash. */
  transactions: Map<string, TronTransaction>;
  /** The token's smallest units by address, 20 bytes in hexadecimal. */
  balances: Map<string, bigint>;
  /** Whether it has TronGrid's index of accounts. A plain full node does not have it. */
  hasIndex: boolean;
  /** The answers of a node without faults. */
  serve: (request: JsonRequest) => JsonReply;
}

export async function startTronNode(tokenDecimals: number): Promise<TronNode> {
  const transactions = new Map<string, TronTransaction>();
  const balances = new Map<string, bigint>();
  const node = { transactions, balances, hasIndex: true };
  const serve = ({ path, body }: JsonRequest): JsonReply => {
    if (path.startsWith('/v1/'))
      return node.hasIndex
        ? { json: transfersPage(transactions, path) }
        : { status: 404, text: 'no such path' };
    const [, api, method] = path.split('/');
    if (method === 'triggerconstantcontract') {
      const number =
        body.function_selector === 'balanceOf(address)'
          ? (balances.get(body.parameter.slice(-40)) ?? 0n)
          : BigInt(tokenDecimals);
      const constant_result = [number.toString(16).padStart(64, '0')];
      return { json: { result: { result: true }, energy_used: 500, constant_result } };
    }
    const known = transactions.get(body.value);
    const seen = known && (known.solidified || api === 'wallet') ? known : undefined;
    // An empty object means that the node does not know the hash.
    if (method === 'gettransactioninfobyid') return { json: seen?.info ?? {} };
    if (method === 'gettransactionbyid') return { json: seen?.transaction ?? {} };
    return { status: 405, json: { Error: 'no such method' } };
  };
  return Object.assign(node, { server: await startJsonServer(serve), serve });
}

/** TronGrid's `/v1/accounts/{address}/transactions/trc20`: newest first, in pages. */
function transfersPage(transactions: TronNode['transactions'], path: string): object {
  const url = new URL(path, 'http://node');
  const asked = (name: string) => url.searchParams.get(name);
  const [account, contract] = [url.pathname.split('/')[3], asked('contract_address')];
  const all = [...transactions.values()]
    .map(({ info }) => info as ReturnType<typeof contractCall>)
    .flatMap(({ id, blockTimeStamp, log }) =>
      (log as ReturnType<typeof transferLog>[]).map(({ address, topics: [, from = '', to = ''], data }) => ({
        transaction_id: id,
        token_info: { symbol: 'USDT', address: tronAddress(address), decimals: 6, name: 'Tether USD' },
        block_timestamp: blockTimeStamp,
        from: tronAddress(from.slice(-40)),
        to: tronAddress(to.slice(-40)),
        type: 'Transfer',
        value: BigInt(`0x${data}`).toString(),
      })),
    )
    .filter(({ to, token_info }) => to === account && token_info.address === contract)
    .filter(({ block_timestamp }) => block_timestamp >= Number(asked('min_timestamp')))
    .sort((a, b) => b.block_timestamp - a.block_timestamp);
  const begin = Number(asked('fingerprint') ?? 0);
  const end = begin + Number(asked('limit'));
  const fingerprint = end < all.length ? { fingerprint: String(end) } : {};
  return {
    data: all.slice(begin, end),
    success: true,
    meta: { at: 1, page_size: end - begin, ...fingerprint },
  };
}

/** 20 bytes in hexadecimal, as Tron writes an address. */
export function tronAddress(bytes: string): string {
  const body = Buffer.from(`41${bytes}`, 'hex');
  const hash = (data: Buffer) => createHash('sha256').update(data).digest();
  const whole = Buffer.concat([body, hash(hash(body)).subarray(0, 4)]);
  const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let text = '';
  for (let n = BigInt(`0x${whole.toString('hex')}`); n > 0n; n /= 58n)
    text = alphabet[Number(n % 58n)] + text;
  return text;
}

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (hex: string) => hex.padStart(64, '0');

/** A `Transfer` event; the addresses are 20 bytes in hexadecimal, the amount in the token's smallest unit. */
export const transferLog = (contract: string, from: string, to: string, units: bigint) => ({
  address: contract,
  topics: [TRANSFER, word(from), word(to)],
  data: word(units.toString(16)),
});

/** A node's answer to a call of a token's contract. */
export const contractCall = (
  id: string,
  contract: string,
  log: object[],
  at: number,
  changes: object = {},
) => ({
  id,
  fee: 345_000,
  blockNumber: 32_880_248,
  blockTimeStamp: at,
  contractResult: [word('1')],
  contract_address: `41${contract}`,
  receipt: { energy_usage_total: 14_631, net_usage: 345, result: 'SUCCESS' },
  log,
  ...changes,
});
