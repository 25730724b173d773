import { erc20Abi, formatUnits } from 'viem';
import { startEvmChain } from '../../dev/evm-chain.ts';
import { sandboxAddress } from '../../dev/registration.ts';
import { decimal } from '../../src/domain/money.ts';
import { transaction } from '../../test/support/actors.ts';
import type { TestCorridor } from '../../test/support/corridor.ts';

/** A transfer as its chain reports it. */
interface ChainTransfer {
  /** In the chain's spelling. */
  hash: string;
  to: string;
  amount: string;
  atMs: number;
}

/** The chain on which the market pays. */
export interface MarketChain {
  name: string;
  symbol: string;
  /** Settings of the service for this chain. */
  env: Record<string, string>;
  /** One for each LP. */
  addresses: string[];
  /** How far the chain's clock may be behind, by the service's settings. */
  skewMs: number;
  /** Returns the hash. */
  transfer: (corridor: TestCorridor, to: string, amount: string) => Promise<string>;
  /** The same from an address of the platform. Null: the chain has no senders. */
  transferByPlatform: ((to: string, amount: string) => Promise<string>) | null;
  /** Reads all transfers from the chain itself. */
  readTransfers: (corridor: TestCorridor) => Promise<ChainTransfer[]>;
  stop: () => Promise<void>;
}

const openSandbox = async (): Promise<MarketChain> => ({
  ...{ name: 'trx', symbol: 'usdt', skewMs: 0 },
  env: { PAYMENT_CLOCK_SKEW: '0s' },
  addresses: [1, 2, 3, 4].map(sandboxAddress),
  transfer: ({ anyone }, to, amount) => transaction(anyone, to, decimal(amount).toNumber()),
  transferByPlatform: null,
  readTransfers: async ({ db }) => {
    const sql = `select tx_hash as hash, "to", trim_scale(amount)::text as amount,
      extract(epoch from created_at)::float * 1000 as "atMs" from sandbox_transaction`;
    return (await db.pool.query(sql)).rows;
  },
  stop: async () => undefined,
});

const DECIMALS = 6;

/** A real EVM node, with one payer whose transfers are final immediately. */
async function openEvm(): Promise<MarketChain> {
  const chain = await startEvmChain();
  const { client, accounts } = chain;
  const [payer, platform, ...addresses] = accounts;
  if (!payer || !platform) throw new Error('The node has no accounts');
  const token = await chain.deployToken('usdt', DECIMALS);
  for (const account of [payer, platform]) await token.mint(account, '100000000');
  // One transfer at a time, because the transactions of an account have consecutive nonces.
  let last: Promise<unknown> = Promise.resolve();
  const send = (from: typeof payer, to: string, amount: string) => {
    const transferred = last.then(() => token.transfer(from, to as typeof payer, amount));
    last = transferred.then(chain.finalise);
    return last.then(() => transferred);
  };
  return {
    ...{ name: 'eth', symbol: 'usdt', addresses, stop: chain.stop },
    env: {
      ...{ SANDBOX: 'true', CHAIN_ETH_RPC_URL: chain.rpcUrl, CHAIN_ETH_ID: String(chain.chainId) },
      // A block's timestamp is the second in which the block was begun.
      ...{ CHAIN_ETH_TOKENS: `usdt:${token.address}:${DECIMALS}`, PAYMENT_CLOCK_SKEW: '2s' },
      CHAIN_ETH_DEPOSIT_ADDRESS: platform,
    },
    skewMs: 2_000,
    transfer: (_corridor, to, amount) => send(payer, to, amount),
    transferByPlatform: (to, amount) => send(platform, to, amount),
    readTransfers: async () => {
      const logs = await client.getContractEvents({
        ...{ address: token.address, abi: erc20Abi, eventName: 'Transfer', fromBlock: 0n },
      });
      const blocks = new Map<bigint, number>();
      for (const { blockNumber } of logs)
        if (!blocks.has(blockNumber))
          blocks.set(blockNumber, Number((await client.getBlock({ blockNumber })).timestamp) * 1_000);
      return logs.map(({ transactionHash, blockNumber, args: { to = '0x', value = 0n } }) => ({
        ...{ hash: transactionHash, to, amount: formatUnits(value, DECIMALS) },
        atMs: blocks.get(blockNumber) ?? 0,
      }));
    },
  };
}

export const CHAINS = { sandbox: openSandbox, evm: openEvm };
