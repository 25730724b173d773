import { type Address, erc20Abi, formatUnits, type Hash } from 'viem';
import { act } from './act.ts';
import { type EvmChain, type EvmToken, startEvmChain } from './evm-chain.ts';
import { expectStatus } from './http.ts';
import { introduceAgent, introduceLp } from './parties.ts';
import { pay } from './payment.ts';
import { showTimeline } from './records.ts';
import type { Stage } from './stage.ts';
import { onOwnCorridor, type Play } from './theatre.ts';

/** A chain that is there for one story, with a token, and two who hold accounts on it. */
interface Setting {
  chain: EvmChain;
  token: EvmToken;
  payer: Address;
  lpAddress: Address;
}

/** Puts up the chain first: a Corridor has to be told of it when it starts. */
export const playOnEvm: Play = async (theatre) => {
  const { tell, show, ending } = theatre;
  tell('This story starts a real EVM node on this machine, with a chain that begins now.');
  const chain = await startEvmChain();
  ending.add(chain.stop);
  const [payer, lpAddress] = chain.accounts;
  if (!payer || !lpAddress) throw new Error('the node has no accounts');
  show(`chain ${chain.chainId} at ${chain.rpcUrl}`);

  tell('Somebody deploys a token, and the payer gets 1000 of it.');
  const token = await chain.deployToken('usdt', 6);
  show(`usdt, ${token.decimals} decimals: contract ${token.address}`);
  await showTransaction({ show }, chain, await token.mint(payer, '1000'));

  const settings = {
    // The LP's collateral is on a simulated chain.
    SANDBOX: 'true',
    CHAIN_ETH_RPC_URL: chain.rpcUrl,
    CHAIN_ETH_ID: String(chain.chainId),
    CHAIN_ETH_TOKENS: `usdt:${token.address}:${token.decimals}`,
  };
  await onOwnCorridor(settings, (stage) => evmStory(stage, { chain, token, payer, lpAddress }))(theatre);
};

/** A payer underpays, is told why, and pays in full; all of it really on a chain. */
async function evmStory(stage: Stage, { chain, token, payer, lpAddress }: Setting): Promise<void> {
  const { tell, show } = stage;
  const agent = await introduceAgent(stage);

  tell('A liquidity provider registers, and takes USDT at its own address on that chain.');
  show(`address ${lpAddress}`);
  const asset = { chain: 'eth', address: lpAddress };
  const lp = await introduceLp(stage, { name: 'Savanna Liquidity', rateUsd: 129.5, asset });

  tell('The agent pays 6475 KES to a mobile-money number, paid for in USDT on that chain.');
  const order = await pay(stage, agent, { crypto_chain: 'eth' });

  tell('The LP claims the order and sends the fiat; the agent confirms that it has arrived.');
  await act(stage, lp.call, `POST /api/orders/${order.id}/claim`, {});
  await act(stage, lp.call, `POST /api/orders/${order.id}/fiat-sent`, {});
  await act(stage, agent.call, `POST /api/v1/confirm/${order.id}`, {});
  for (const status of ['claimed', 'fiat_sent', 'confirmed']) await order.webhook(status);

  tell('The payer sends 40 USDT, which is too little, and the agent settles with that transaction.');
  await settleWith(await token.transfer(payer, lpAddress, '40'));

  tell('The chain goes on until the transaction is final. Corridor reads it, and says what is wrong.');
  await finalise();
  await order.webhook('confirmed');
  show(`reason: ${await lastReason()}`);

  tell(`The payer sends ${order.owed.amount} USDT in one transfer, and the agent settles once more.`);
  await settleWith(await token.transfer(payer, lpAddress, String(order.owed.amount)));

  tell('While its block may still be replaced, the order waits. Then it is final.');
  await finalise();
  await order.webhook('completed');

  tell('What the LP has on the chain; the 40 that were too little are for it and the payer to settle:');
  show(`${await balanceOf(lpAddress)} usdt at ${lpAddress}`);

  tell(`Everything that became of order ${order.id}:`);
  await showTimeline(stage, agent, order.id);

  async function settleWith(tx_hash: Hash) {
    await showTransaction(stage, chain, tx_hash);
    await act(stage, agent.call, `POST /api/v1/settle/${order.id}`, { tx_hash });
    await order.webhook('crypto_verify_pending');
  }

  async function finalise() {
    await chain.finalise();
    const [newest, final] = await Promise.all([
      chain.client.getBlockNumber({ cacheTime: 0 }),
      chain.client.getBlock({ blockTag: 'finalized' }),
    ]);
    show(`the newest block is ${newest}, final is everything up to ${final.number}`);
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

async function showTransaction({ show }: Pick<Stage, 'show'>, chain: EvmChain, hash: Hash): Promise<void> {
  const { blockNumber } = await chain.client.waitForTransactionReceipt({ hash });
  show(`transaction ${hash} in block ${blockNumber}`);
}
