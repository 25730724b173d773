import { type Address, erc20Abi, formatUnits, type Hash } from 'viem';
import { createAgent, createLp } from '../dev/actors.ts';
import type { StoryContext } from '../dev/context.ts';
import { type EvmChain, type EvmToken, startEvmChain } from '../dev/evm-chain.ts';
import { expectStatus } from '../dev/http-client.ts';
import { pay } from '../dev/payment.ts';
import { callAndPrint } from '../dev/shown-call.ts';
import { onOwnCorridor, type RunStory } from './story-runner.ts';
import { showTimeline } from './tables.ts';

/** A local chain with a token and two accounts. */
interface LocalChain {
  chain: EvmChain;
  token: EvmToken;
  payer: Address;
  lpAddress: Address;
}

/** Starts the chain first, because Corridor reads its chains from the settings when it starts. */
export const runOnEvm: RunStory = async (options) => {
  const { narrate, print, cleanup } = options;
  narrate('This story starts a real EVM node with a new chain on this machine.');
  const chain = await startEvmChain();
  cleanup.add(chain.stop);
  const [payer, lpAddress] = chain.accounts;
  if (!payer || !lpAddress) throw new Error('the node has no accounts');
  print(`chain ${chain.chainId} at ${chain.rpcUrl}`);

  narrate('The story deploys a USDT test token and mints 1000 for the payer.');
  const token = await chain.deployToken('usdt', 6);
  print(`usdt, ${token.decimals} decimals: contract ${token.address}`);
  await showTransaction({ print }, chain, await token.mint(payer, '1000'));

  const settings = {
    // LPs deposit their collateral on a simulated chain.
    SANDBOX: 'true',
    CHAIN_ETH_RPC_URL: chain.rpcUrl,
    CHAIN_ETH_ID: String(chain.chainId),
    CHAIN_ETH_TOKENS: `usdt:${token.address}:${token.decimals}`,
  };
  await onOwnCorridor(settings, (context) => evmStory(context, { chain, token, payer, lpAddress }))(options);
};

/** A payer underpays, Corridor gives the reason, and the payer pays in full, all on a real chain. */
async function evmStory(
  context: StoryContext,
  { chain, token, payer, lpAddress }: LocalChain,
): Promise<void> {
  const { narrate, print } = context;
  const agent = await createAgent(context);

  narrate('A liquidity provider (LP) registers its USDT address on that chain.');
  print(`address ${lpAddress}`);
  const asset = { chain: 'eth', address: lpAddress };
  const lp = await createLp(context, { name: 'Savanna Liquidity', rateUsd: 129.5, asset });

  narrate('The agent creates a payment: 6475 KES, which the payer funds in USDT on that chain.');
  const order = await pay(context, agent, { crypto_chain: 'eth' });

  narrate('The LP claims the order and sends the fiat. The agent confirms that it has arrived.');
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/claim`, {});
  await callAndPrint(context, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await callAndPrint(context, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  for (const status of ['claimed', 'fiat_sent', 'confirmed']) await order.webhook(status);

  narrate('The payer sends 40 USDT, which is too little. The agent settles with that transaction.');
  await settleWith(await token.transfer(payer, lpAddress, '40'));

  narrate('More blocks make the transaction final. Corridor verifies it and reports what is wrong.');
  await finalise();
  await order.webhook('confirmed');
  print(`reason: ${await lastReason()}`);

  narrate(`The payer sends ${order.owed.amount} USDT in one transfer. The agent settles again.`);
  await settleWith(await token.transfer(payer, lpAddress, String(order.owed.amount)));

  narrate('The order waits while the chain may still replace the block. Then the block is final.');
  await finalise();
  await order.webhook('completed');

  narrate('The LP’s balance on the chain. It includes the 40 USDT, which LP and payer settle between them:');
  print(`${await balanceOf(lpAddress)} usdt at ${lpAddress}`);

  narrate(`The timeline of order ${order.id}:`);
  await showTimeline(context, agent, order.id);

  async function settleWith(tx_hash: Hash) {
    await showTransaction(context, chain, tx_hash);
    await callAndPrint(context, agent.call, `POST /api/v1/settle/${order.id}`, { tx_hash });
    await order.webhook('crypto_verify_pending');
  }

  async function finalise() {
    await chain.finalise();
    const [newest, final] = await Promise.all([
      chain.client.getBlockNumber({ cacheTime: 0 }),
      chain.client.getBlock({ blockTag: 'finalized' }),
    ]);
    print(`newest block ${newest}, final up to block ${final.number}`);
  }

  async function lastReason(): Promise<string> {
    const path = `/api/v1/orders/${order.id}/timeline`;
    const { transitions } = await expectStatus(200, agent.call('GET', path));
    return transitions.at(-1).reason;
  }

  async function balanceOf(account: Address): Promise<string> {
    const balance = await chain.client.readContract({
      address: token.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [account],
    });
    return formatUnits(balance, token.decimals);
  }
}

async function showTransaction(
  { print }: Pick<StoryContext, 'print'>,
  chain: EvmChain,
  hash: Hash,
): Promise<void> {
  const { blockNumber } = await chain.client.waitForTransactionReceipt({ hash });
  print(`transaction ${hash} in block ${blockNumber}`);
}
