import { ACCOUNTS } from '../../domain/ledger.ts';
import type { Command, StepName } from '../../domain/order-state.ts';
import type { StepRefusal } from '../../domain/steps.ts';

/** What makes one step's statement different from the others. `before` is the row as it was, `o` as it becomes. */
export interface StepStatement {
  /** More columns to set; begins with a comma. */
  set?: string;
  /** More tables to read for the new values. */
  from?: string;
  /** What must hold besides the version. */
  where?: string;
  /** Further common table expressions: ledger postings and the like. */
  effects?: string[];
  /** Values for $9 and up. */
  params?: (command: Command) => unknown[];
  /** The refusal when the version is right and `where` does not hold. */
  unmet?: StepRefusal;
}

/** A ledger transfer as a CTE. Its key has the order, the version and the purpose, so that it is posted once. */
function transfer(purpose: string, debit: string, credit: string, amount: string): string {
  return `post_${purpose} as (
    insert into ledger_transfer (key, debit, credit, amount, order_id)
    select 'order/' || o.id || '/' || o.version || '/${purpose}', ${debit}, ${credit}, ${amount}, o.id
    from o, before where ${amount} > 0
  )`;
}

/** The SQL expression for an account's name when the LP's id is itself an expression. */
const account = (name: (lpId: string) => string, lpId: string): string => `'${name(`' || ${lpId} || '`)}'`;
const available = (row: string) => account(ACCOUNTS.lpAvailable, `${row}.lp_id`);
const locked = (row: string) => account(ACCOUNTS.lpLocked, `${row}.lp_id`);
const platformFees = `'${ACCOUNTS.platformFees}'`;

/** Gives the slice back, takes the order and its receipt from its LP, and does not offer it to that LP again. */
const takeBack = (set: string): StepStatement => ({
  set: `, lp_id = null, lp_receive_address = null, collateral_locked = null, receipt_url = null,
        reoffers = orders.reoffers + 1,
        excluded_lp_ids = array_append(orders.excluded_lp_ids, orders.lp_id) ${set}`,
  effects: [
    `collateral as (
      update lp_collateral l
      set locked = l.locked - before.collateral_locked, available = l.available + before.collateral_locked
      from o, before where l.lp_id = before.lp_id
    )`,
    'strike as (update lp set strikes = strikes + 1 from o, before where lp.id = before.lp_id)',
    transfer('release', locked('before'), available('before'), 'before.collateral_locked'),
  ],
});

export const STEP_STATEMENTS: Record<StepName, StepStatement> = {
  claim: {
    set: ', lp_id = asset.lp_id, lp_receive_address = asset.address, collateral_locked = $10',
    from: 'from lp_asset asset',
    where:
      'and asset.lp_id = $9 and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain',
    // A balance below zero breaks a CHECK, and with it the whole statement: see `perform-step.ts`.
    effects: [
      `collateral as (
        update lp_collateral l
        set available = l.available - o.collateral_locked, locked = l.locked + o.collateral_locked
        from o where l.lp_id = o.lp_id
      )`,
      transfer('lock', available('o'), locked('o'), 'o.collateral_locked'),
    ],
    params: (command) => ('collateral' in command ? [command.lpId, command.collateral] : []),
    unmet: 'no_receive_address',
  },
  markFiatSent: {},
  confirm: {},
  settle: {
    set: ', user_crypto_tx_hash = $9',
    effects: [
      `used as (
        insert into chain_transaction (chain, tx_hash, order_id) select o.crypto_chain, $10, o.id from o
      )`,
    ],
    params: (command) => (command.trigger === 'settle' ? [command.txHashGiven, command.txHash] : []),
  },
  complete: {
    set: ', completed_at = now()',
    effects: [
      `collateral as (
        update lp_collateral l
        set locked = l.locked - o.collateral_locked, available = l.available + o.collateral_locked - o.fee_usd
        from o where l.lp_id = o.lp_id
      )`,
      transfer('release', locked('o'), available('o'), 'o.collateral_locked'),
      transfer('fee', available('o'), platformFees, 'o.fee_usd'),
    ],
  },
  rejectTransaction: {
    set: ', rejections = orders.rejections + 1, user_crypto_tx_hash = null',
    // The hash is free again: a mistake, or a stranger's squatting, must not keep the rightful order from using it.
    effects: ['freed as (delete from chain_transaction t using o where t.order_id = o.id)'],
  },
  cancelUnclaimed: { set: ', cancelled_at = now()' },
  reofferOrder: takeBack(''),
  cancelUnpaid: takeBack(', cancelled_at = now()'),
  openDispute: {},
};
