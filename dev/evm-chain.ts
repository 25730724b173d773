import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Address,
  createTestClient,
  type Hash,
  http,
  parseUnits,
  publicActions,
  walletActions,
} from 'viem';
import { freePort } from '../src/process/free-port.ts';
import { TEST_TOKEN_ABI, TEST_TOKEN_BYTECODE } from './token/test-token.ts';

const START_WITHIN_MS = 60_000;
/** Anvil treats blocks two epochs behind the head as final. */
const FINAL_AFTER = 2;

/**
 * A token on a local chain. Amounts are decimal strings. The functions return a hash when its transaction is in a
 * block.
 */
export interface EvmToken {
  address: Address;
  decimals: number;
  /** Creates tokens for an account. */
  mint: (to: Address, amount: string) => Promise<Hash>;
  transfer: (from: Address, to: Address, amount: string) => Promise<Hash>;
  /** Many transfers in one transaction. */
  transferMany: (from: Address, to: [Address, string][]) => Promise<Hash>;
}

/** A real EVM node on this machine that signs for its accounts. It puts each transaction into its own block. */
export interface EvmChain {
  rpcUrl: string;
  chainId: number;
  /** Gives access to everything that the node offers, including its control commands. */
  client: ReturnType<typeof clientOf>;
  accounts: Address[];
  deployToken: (symbol: string, decimals: number) => Promise<EvmToken>;
  /** Waits until a transaction is in a block, even if it reverted. */
  mined: (sent: Promise<Hash>) => Promise<Hash>;
  /** Mines blocks until every transaction so far is final. */
  finalise: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts anvil on a free port. Time on its chain begins `ageMs` ago. */
export async function startEvmChain({ ageMs = 0 } = {}): Promise<EvmChain> {
  const port = await freePort();
  const rpcUrl = `http://127.0.0.1:${port}`;
  const chainId = 31_337;
  const begin = Math.floor((Date.now() - ageMs) / 1_000);
  const options = [
    ['--host', '127.0.0.1'],
    ['--port', String(port)],
    ['--chain-id', String(chainId)],
    ['--timestamp', String(begin)],
    // With an epoch of one block, few blocks make a transaction final.
    ['--slots-in-an-epoch', '1'],
  ];
  const node = spawn(findAnvil(), options.flat(), { stdio: ['ignore', 'ignore', 'pipe'] });
  const kill = () => void node.kill();
  process.once('exit', kill);
  const stop = async () => {
    process.off('exit', kill);
    await stopNode(node);
  };

  const client = clientOf(rpcUrl);
  try {
    await waitUntilReady(node, client);
  } catch (error) {
    await stop();
    throw error;
  }
  const accounts = await client.getAddresses();
  const [deployer] = accounts;
  if (!deployer) throw new Error('anvil has no accounts');

  const mined = async (sent: Promise<Hash>) => {
    const hash = await sent;
    await client.waitForTransactionReceipt({ hash });
    return hash;
  };

  return {
    rpcUrl,
    chainId,
    client,
    accounts,
    stop,
    mined,
    finalise: () => client.mine({ blocks: FINAL_AFTER }),
    deployToken: async (symbol, decimals) => {
      const hash = await client.deployContract({
        abi: TEST_TOKEN_ABI,
        bytecode: TEST_TOKEN_BYTECODE,
        args: [symbol, decimals],
        account: deployer,
        chain: null,
      });
      const { contractAddress: address } = await client.waitForTransactionReceipt({ hash });
      if (!address) throw new Error(`the token ${symbol} was not deployed`);
      const contract = { address, abi: TEST_TOKEN_ABI, chain: null } as const;
      const units = (amount: string) => parseUnits(amount, decimals);
      return {
        address,
        decimals,
        mint: (to, amount) =>
          mined(
            client.writeContract({
              ...contract,
              account: deployer,
              functionName: 'mint',
              args: [to, units(amount)],
            }),
          ),
        transfer: (from, to, amount) =>
          mined(
            client.writeContract({
              ...contract,
              account: from,
              functionName: 'transfer',
              args: [to, units(amount)],
            }),
          ),
        transferMany: (from, to) =>
          mined(
            client.writeContract({
              ...contract,
              account: from,
              functionName: 'transferMany',
              args: [to.map(([address]) => address), to.map(([, amount]) => units(amount))],
            }),
          ),
      };
    },
  };
}

const clientOf = (rpcUrl: string) =>
  createTestClient({ mode: 'anvil', transport: http(rpcUrl), pollingInterval: 50 })
    .extend(publicActions)
    .extend(walletActions);

/** The binary that npm installed for this machine, or otherwise one on the PATH. */
function findAnvil(): string {
  const arch = process.arch === 'x64' ? 'amd64' : process.arch;
  const wrapper = createRequire(import.meta.url).resolve('@foundry-rs/anvil/package.json');
  try {
    const binary = createRequire(wrapper).resolve(`@foundry-rs/anvil-${process.platform}-${arch}/bin/anvil`);
    if (existsSync(binary)) return binary;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error;
  }
  return 'anvil';
}

async function waitUntilReady(node: ChildProcess, client: ReturnType<typeof clientOf>): Promise<void> {
  let stderr = '';
  let failure: string | undefined;
  node.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  node.once('error', (error: NodeJS.ErrnoException) => {
    const missing = 'npm installed none for this machine, and none is on the PATH (install Foundry)';
    failure = error.code === 'ENOENT' ? missing : error.message;
  });
  node.once('exit', (code) => {
    failure ??= `it ended with code ${code}: ${stderr}`;
  });
  for (const giveUpAt = Date.now() + START_WITHIN_MS; ; ) {
    const chainId = await client.getChainId().catch(() => undefined);
    if (chainId !== undefined) return;
    if (failure !== undefined) throw new Error(`anvil did not start: ${failure}`);
    if (Date.now() > giveUpAt)
      throw new Error(`anvil did not answer within ${START_WITHIN_MS} ms: ${stderr}`);
    await delay(50);
  }
}

async function stopNode(node: ChildProcess): Promise<void> {
  if (node.pid === undefined || node.exitCode !== null || node.signalCode !== null) return;
  const ended = new Promise((resolve) => node.once('exit', resolve));
  node.kill();
  await ended;
}
