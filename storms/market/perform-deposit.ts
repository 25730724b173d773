import { decimal } from '../../src/domain/money.ts';
import type { Action } from './actions.ts';
import { hashKey, type Market, statusOf } from './market.ts';

type DepositAction = Extract<Action, { kind: 'announce' | 'payDeposit' | 'confirmDeposit' }>;

/** Performs an action of a depositor, and returns its result. */
export function performDeposit(market: Market, action: DepositAction): Promise<string> {
  switch (action.kind) {
    case 'announce':
      return announce(market, action);
    case 'payDeposit':
      return payDeposit(market, action);
    case 'confirmDeposit':
      return confirmDeposit(market, action);
  }
}

async function announce(
  market: Market,
  { lp, usd, hash }: Extract<Action, { kind: 'announce' }>,
): Promise<string> {
  const { name, symbol } = market.chain;
  const body = { amount: usd, asset: symbol, chain: name, tx_hash: hash };
  const answer = await lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, body);
  if (answer.status === 200) {
    const { deposit_id: id, pay_to } = answer.body;
    market.deposits.push({
      ...{ id, lpId: lp.id, amount: decimal(pay_to.amount).toFixed(), address: pay_to.address },
      ...{ hasNamed: hash !== undefined, isBeingPaid: false, hash: null, isRight: false, isCredited: false },
    });
  }
  return statusOf(answer);
}

async function payDeposit(
  market: Market,
  { deposit, units }: Extract<Action, { kind: 'payDeposit' }>,
): Promise<string> {
  if (deposit.isBeingPaid) return 'paid already';
  deposit.isBeingPaid = true;
  const amount = decimal(deposit.amount).plus(decimal(units).div(1_000_000)).toFixed();
  const hash = await market.chain.transfer(market.corridor, deposit.address, amount);
  deposit.isRight = units === 0;
  deposit.hash = hashKey(hash);
  if (units === 0) return 'transferred';
  const lp = market.lps.find(({ id }) => id === deposit.lpId);
  return lp ? confirmDeposit(market, { kind: 'confirmDeposit', lp, deposit, hash }) : 'no LP';
}

async function confirmDeposit(
  market: Market,
  { lp, deposit, hash }: Extract<Action, { kind: 'confirmDeposit' }>,
): Promise<string> {
  const path = `/api/lp/${lp.key}/collateral/${deposit.id}/confirm`;
  const answer = await lp.call('POST', path, { tx_hash: hash });
  if (answer.status === 200) deposit.isCredited = true;
  else if (lp.isHonest && answer.status !== 503)
    market.refusedDeposits.push(
      `honest LP ${lp.id} got ${answer.status} for deposit ${deposit.id}: ${JSON.stringify(answer.body)}`,
    );
  return statusOf(answer);
}
