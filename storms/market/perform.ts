import { randomUUID } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { Answer, Call } from '../../dev/http-client.ts';
import { decimal } from '../../src/domain/money.ts';
import { decide } from '../../src/domain/order-decision.ts';
import { performStep } from '../../src/orders/steps/perform-step.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { signedEnvelope } from '../../test/support/intruder.ts';
import { copyOrder } from '../../test/support/lost-commits.ts';
import { retryWhile503 } from '../../test/support/retry-while-503.ts';
import { stateOf } from '../../test/support/take-step.ts';
import { type Action, type OrderCall, settleWith } from './actions.ts';
import { attemptOf, hashKey, type Market, newMarketAgent, statusOf, type Window } from './market.ts';
import { performDeposit } from './perform-deposit.ts';
import type { OrderSeen } from './view.ts';

/** Performs an action, and returns its result: the status of the response, or a word. */
export async function perform(market: Market, action: Action): Promise<string> {
  const { corridor } = market;
  switch (action.kind) {
    case 'call':
      return statusOf(await send(market, action.call));
    case 'together':
      return (await Promise.all(action.actions.map((one) => perform(market, one)))).sort().join(' ');
    case 'pay': {
      const { agent, usd } = action;
      const { name, symbol } = market.chain;
      const body = {
        ...{ amount: usd * RATE, currency: 'KES', recipient: '+254700123456', user_id: agent.userId },
        ...{ crypto_chain: name, crypto_symbol: symbol, callback_url: corridor.receiver.url },
      };
      return statusOf(await agent.call('POST', '/api/v1/pay', body));
    }
    case 'transfer':
      return transfer(market, action);
    case 'forge': {
      const { order, name, actor, command, secret } = action;
      const plain = { requestId: randomUUID(), actor, command };
      const message = secret
        ? signedEnvelope(corridor, order.id, actor, command as never, { secret })
        : plain;
      return signal(market, order.id, name, message);
    }
    case 'inventVersion': {
      const { id } = action.order;
      const state = await stateOf(corridor.db, id);
      const command = { trigger: 'refresh' };
      const row = { state: { ...state, version: state.version + 9 }, webhooks: [] };
      return signal(market, id, 'refresh', { requestId: randomUUID(), actor: 'service', command, ...row });
    }
    case 'repeat': {
      const { order, name } = action;
      const genuine = await market.intruder.readSignals(order.id, name).catch(ifAbsent);
      for (const message of genuine ?? []) await signal(market, order.id, name, message);
      return `${genuine?.length ?? 0} repeated`;
    }
    case 'replaceWorkflow': {
      const { order, forgedState } = action;
      market.mayLookLost.add(order.id);
      await market.intruder.replaceWorkflow(order.id, {
        ...(await stateOf(corridor.db, order.id)),
        ...forgedState,
      });
      return 'replaced';
    }
    case 'lose': {
      market.mayLookLost.add(action.order.id);
      const loseCommits = await copyOrder(corridor.db, action.order.id);
      const answer = await perform(market, action.part);
      // If an order's end were lost, two payments could use its part of the agent's limit.
      return `${answer} ${(await loseCommits({ unlessEnded: true })) ? 'lost' : 'kept'}`;
    }
    case 'expireEarly':
      return expireEarly(market, action.order);
    case 'pause': {
      const scope = action.agent ? { agent_key_id: action.agent.keyId } : {};
      const subject = action.agent ? `agent:${action.agent.keyId}` : 'all';
      // Another admin was faster.
      if (market.pause) return 'paused already';
      const window = newWindow('paused', subject);
      market.pause = { id: 0, window };
      const made = await byAdmin(market, 'POST', '/api/admin/pauses', { ...scope, reason: 'To look' });
      window.fromMs = Date.now();
      market.windows.push(window);
      market.pause = { id: made.body.id, window };
      return statusOf(made);
    }
    case 'resume': {
      const { pause } = market;
      if (!pause || pause.id !== action.pauseId || pause.id === 0) return 'resumed already';
      pause.window.toMs = Date.now();
      const resumed = await byAdmin(market, 'DELETE', `/api/admin/pauses/${pause.id}`);
      market.pause = null;
      return statusOf(resumed);
    }
    case 'suspend':
    case 'approve':
      return changeLp(market, action.kind, action.lp);
    case 'forgive':
      return statusOf(await corridor.admin('POST', `/api/admin/lps/${action.lp.id}/forgive`, FORGIVEN));
    case 'revoke': {
      const { agent } = action;
      if (agent.isRevoked) return 'revoked already';
      agent.isRevoked = true;
      const { isHonest, cap } = agent;
      market.agents.push(await newMarketAgent(corridor, { isHonest, cap }));
      const answer = await byAdmin(market, 'DELETE', `/api/admin/agent-keys/${agent.keyId}`);
      const window = newWindow('revoked', `agent:${agent.keyId}`);
      window.fromMs = Date.now();
      market.windows.push(window);
      return statusOf(answer);
    }
    case 'announce':
    case 'payDeposit':
    case 'confirmDeposit':
      return performDeposit(market, action);
    case 'payOut': {
      const { lp, hash } = action;
      const terms = { amount: 1, asset: market.chain.symbol, chain: market.chain.name, address: lp.address };
      const { body } = await lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, terms);
      const path = `/api/admin/withdrawals/${body.id}/paid`;
      return statusOf(await corridor.admin('POST', path, { tx_hash: hash }));
    }
    case 'withdrawLike': {
      const { lp, order, payee } = action;
      const { symbol: asset, name: chain } = market.chain;
      const terms = { amount: Number(order.amount), asset, chain, address: payee.address };
      return statusOf(await lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, terms));
    }
    case 'settleWithPlatform': {
      const { agent, order, lp } = action;
      const hash = await market.chain.transferByPlatform?.(lp.address, order.amount);
      return hash === undefined ? 'no senders' : perform(market, settleWith(agent, order, hash));
    }
  }
}

/** KES for one USD, as each LP has published it. */
const RATE = 129.5;
const FORGIVEN = { reason: 'The bank was closed' };

function send(market: Market, { actor, key, trigger, orderId, path, body }: OrderCall): Promise<Answer> {
  market.attempts.add(attemptOf(orderId, actor, trigger));
  const call = key === null ? market.corridor.admin : market.corridor.as(key);
  return call('POST', path, body);
}

async function transfer(
  market: Market,
  { agent, order, lp, units, isSilent }: Extract<Action, { kind: 'transfer' }>,
): Promise<string> {
  const amount = decimal(order.amount).plus(decimal(units).div(1_000_000)).toFixed();
  const given = await market.chain.transfer(market.corridor, lp.address, amount);
  const isRight = units === 0 && order.status !== 'matched';
  const [hash, orderId] = [hashKey(given), order.id];
  market.transfers.push({ hash, orderId, agentKeyId: agent.keyId, lpId: lp.id, isRight });
  if (isSilent) return 'transferred';
  const [actor, path] = [`agent:${agent.keyId}`, `/api/v1/settle/${orderId}`];
  const body = { tx_hash: given };
  return statusOf(await send(market, { actor, key: agent.key, trigger: 'settle', orderId, path, body }));
}

async function signal(market: Market, orderId: number, name: string, message: unknown): Promise<string> {
  return (await market.intruder.signal(orderId, name, message).catch(ifAbsent)) === null
    ? 'no workflow'
    : 'sent';
}

/** A new order has no workflow yet, and the workflow of an ended order may be deleted. */
function ifAbsent(error: unknown): null {
  const { code } = error as { code?: unknown };
  if (error instanceof WorkflowNotFoundError || code === NOT_FOUND) return null;
  throw error;
}
/** gRPC's status, which the client does not wrap when it reads a history. */
const NOT_FOUND = 5;

async function expireEarly({ corridor }: Market, { id, status, version }: OrderSeen): Promise<string> {
  const command = { trigger: 'deadline', version } as const;
  const seen = { ...(await stateOf(corridor.db, id)), version, status };
  const decision = decide(seen, command);
  if (decision.kind !== 'apply') return 'no deadline';
  const input = { orderId: id, state: seen, requestId: randomUUID(), actor: 'service', command };
  return (await performStep(corridor.db, decision.step, input, NO_LIMITS)).result;
}

async function changeLp(
  market: Market,
  verb: 'suspend' | 'approve',
  lp: Market['lps'][number],
): Promise<string> {
  // Of two admins at the same moment nobody here would know whose change came last.
  if (changing.has(lp.id)) return 'being changed';
  changing.add(lp.id);
  try {
    return await changeAlone(market, verb, lp);
  } finally {
    changing.delete(lp.id);
  }
}

/** The LPs that an admin is suspending or approving. */
const changing = new Set<number>();

async function changeAlone(
  market: Market,
  verb: 'suspend' | 'approve',
  lp: Market['lps'][number],
): Promise<string> {
  const subject = `lp:${lp.id}`;
  const open = market.windows.find((one) => one.subject === subject && one.toMs === Infinity);
  if (verb === 'approve' && open) open.toMs = Date.now();
  lp.isSuspended = verb === 'suspend';
  const answer = await byAdmin(market, 'POST', `/api/admin/lps/${lp.id}/${verb}`, {});
  if (verb === 'suspend' && !open)
    market.windows.push({ ...newWindow('suspended', subject), fromMs: Date.now() });
  return statusOf(answer);
}

/** An admin repeats what a busy service has not done: the window begins when it is done. */
const byAdmin = ({ corridor }: Market, ...call: Parameters<Call>): Promise<Answer> =>
  retryWhile503(() => corridor.admin(...call));

const newWindow = (what: Window['what'], subject: string): Window => ({
  ...{ what, subject, fromMs: Infinity, toMs: Infinity },
});
