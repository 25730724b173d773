import { ACCOUNTS, type LedgerPurpose } from '../../domain/ledger.ts';
import type { Command } from '../../domain/order-commands.ts';
import type { StepName } from '../../domain/order-state.ts';
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
  /** Values for $10 and up. */
  params?: (command: Command) => unknown[];
  /** What it means when the version is right and `where` does not hold; `nobody_else` is left to the workflow. */
  unmet?: StepRefusal | 'nobody_else';
  /** Whoever asks gives a reason, which stands in `request_note`. */
  noted?: true;
}

/**
 * The deadline of the stage that begins. It counts from the commit: what a step has waited for, be it a worker or this
 * database, takes nothing from the time of those who act next.
 */
export const DEADLINE = `coalesce($5::timestamptz, date_trunc('milliseconds', now()) + $9::bigint * interval '1 millisecond')`;

/** Whether the service has been there without a longer gap; see `queries/service-pulse.ts`. */
export const IN_SERVICE = 'not exists (select from service_pulse where good_until < now())';

/** A deadline passes only for those who could have acted: after an outage it is moved first. */
const deadlineCounts = `and ($7 <> 'deadline' or ${IN_SERVICE})`;

/** A ledger transfer as a CTE. Its key has the order, the version and the purpose, so that it is posted once. */
function transfer(purpose: LedgerPurpose, debit: string, credit: string, amount: string): string {
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
const platformSlashed = `'${ACCOUNTS.platformSlashed}'`;

/** Another LP that may be offered the order: its rate, its token, approved, and not one that let the order down. */
const somebodyElse = `exists (
  select from lp_rate rate
  join lp on lp.id = rate.lp_id and lp.status = 'approved'
  join lp_asset asset
    on asset.lp_id = lp.id and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
  where rate.currency = orders.currency and lp.id <> orders.lp_id and lp.id <> all (orders.excluded_lp_ids)
)`;

/**
 * An LP that lets the time run out gets a strike; one that gives the order back gets none if it claimed it after $10, or
 * could not have given it back before, because the service was away.
 */
const struck = `$10::timestamptz is null or (
  select bool_and(e.cause <> 'outage') and min(e.created_at) <= $10::timestamptz
  from order_event e
  where e.order_id = o.id and e.seq <= before.version and e.seq >= (
    select max(claimed.seq) from order_event claimed
    where claimed.order_id = o.id and claimed.from_status = 'matched' and claimed.status = 'claimed'
  )
)`;

/** Gives the slice back, takes the order and its receipt from its LP, and does not offer it to that LP again. */
const takeBack = (set = ''): StepStatement => ({
  set: `, lp_id = null, lp_receive_address = null, collateral_locked = null, receipt_url = null,
        reoffers = orders.reoffers + 1,
        excluded_lp_ids = array_append(orders.excluded_lp_ids, orders.lp_id) ${set}`,
  where: deadlineCounts,
  effects: [
    `collateral as (
      update lp_collateral l
      set locked = l.locked - before.collateral_locked, available = l.available + before.collateral_locked
      from o, before where l.lp_id = before.lp_id
    )`,
    `strike as (
      insert into lp_strike (order_id, seq, lp_id) select o.id, o.version, before.lp_id from o, before where ${struck}
    )`,
    transfer('release', locked('before'), available('before'), 'before.collateral_locked'),
  ],
  params: (command) => [command.trigger === 'release' ? command.freeSince : null],
  noted: true,
});

/** Ends a dispute. $10: USD that the LP loses of its slice, which must leave enough of it for the fee that it owes. */
const resolve = (set: string, owed: string, effects: string[]): StepStatement => ({
  set: `, ${set} = now(), slashed_usd = $10`,
  where: `and $10::numeric + ${owed} <= orders.collateral_locked`,
  effects: [
    transfer('slash', locked('o'), platformSlashed, 'o.slashed_usd'),
    transfer('release', locked('o'), available('o'), '(o.collateral_locked - o.slashed_usd)'),
    ...effects,
  ],
  params: (command) => (command.trigger === 'resolve' ? [command.slashUsd, command.txHash] : []),
  unmet: 'slash_too_high',
  noted: true,
});

/** Ends the claim: the slice is no longer locked, and `left` (an SQL expression) of it is the LP's to use. */
const giveBack = (left: string) => `collateral as (
  update lp_collateral l set locked = l.locked - o.collateral_locked, available = l.available + ${left}
  from o where l.lp_id = o.lp_id
)`;
const fee = transfer('fee', available('o'), platformFees, 'o.fee_usd');

const freedHash = (when = '') =>
  `freed as (delete from chain_transaction t using o where t.order_id = o.id ${when})`;

/** Takes a transaction for the order, where it does not have it: from then on it pays nothing else. */
const usedHash = (hash: string) => `used as (
  insert into chain_transaction (chain, tx_hash, order_id) select o.crypto_chain, ${hash}, o.id from o
  where ${hash} is not null
    and not exists (select from chain_transaction t where t.order_id = o.id and t.tx_hash = ${hash})
)`;

/** While an order is open, its stage's deadline is the one for claiming, which everybody is told. */
const claimDeadline = `, expires_at = case when orders.status = 'matched' then ${DEADLINE} else orders.expires_at end`;

export const STEP_STATEMENTS: Record<StepName, StepStatement> = {
  claim: {
    set: ', lp_id = asset.lp_id, lp_receive_address = asset.address, collateral_locked = $11',
    from: 'from lp_asset asset',
    where: `and asset.lp_id = $10 and asset.symbol = orders.crypto_symbol and asset.chain = orders.crypto_chain
      and now() <= $12::timestamptz`,
    // A balance below zero breaks a CHECK, and with it the whole statement: see `perform-step.ts`.
    effects: [
      `collateral as (
        update lp_collateral l
        set available = l.available - o.collateral_locked, locked = l.locked + o.collateral_locked
        from o where l.lp_id = o.lp_id
      )`,
      transfer('lock', available('o'), locked('o'), 'o.collateral_locked'),
    ],
    params: (command) =>
      'collateral' in command ? [command.lpId, command.collateral, command.validUntil] : [],
    unmet: 'no_receive_address',
  },
  markFiatSent: {},
  confirm: {},
  settle: {
    set: ', user_crypto_tx_hash = $10',
    effects: [
      `used as (
        insert into chain_transaction (chain, tx_hash, order_id) select o.crypto_chain, $11, o.id from o
      )`,
    ],
    params: (command) => (command.trigger === 'settle' ? [command.txHashGiven, command.txHash] : []),
  },
  complete: {
    set: ', completed_at = now()',
    effects: [
      giveBack('o.collateral_locked - o.fee_usd'),
      transfer('release', locked('o'), available('o'), 'o.collateral_locked'),
      fee,
    ],
  },
  rejectTransaction: {
    set: `, rejections = orders.rejections + 1, user_crypto_tx_hash = null, rejected_tx_hashes = orders.rejected_tx_hashes
      || array(select t.tx_hash from chain_transaction t where t.order_id = orders.id)`,
    // The hash is free again: a mistake, or a stranger's squatting, must not keep the rightful order from using it.
    effects: [freedHash()],
  },
  cancelUnclaimed: { set: ', cancelled_at = now()', where: deadlineCounts, noted: true },
  reofferOrder: {
    ...takeBack(),
    // Past its first claim deadline an order is offered again only if there is anybody to offer it to.
    where: `${deadlineCounts} and (now() < orders.expires_at or ${somebodyElse})`,
    unmet: 'nobody_else',
  },
  cancelUnpaid: takeBack(', cancelled_at = now()'),
  openDispute: {
    where: deadlineCounts,
    // As above; the row keeps the hash for the admin's eyes.
    effects: [freedHash(`and $7 = 'invalid'`)],
    noted: true,
  },
  resolveCompleted: resolve('completed_at', 'orders.fee_usd', [
    giveBack('o.collateral_locked - o.slashed_usd - o.fee_usd'),
    fee,
    // What was once found invalid has paid after all, and pays nothing else.
    usedHash('$11::varchar'),
  ]),
  resolveCancelled: resolve('cancelled_at', '0', [
    giveBack('o.collateral_locked - o.slashed_usd'),
    freedHash('and $11::varchar is not null'),
  ]),
  retryVerification: {
    set: ', user_crypto_tx_hash = $11',
    // A third invalid transaction has given its hash up, and another order may have it by now.
    effects: [usedHash('$10::varchar'), freedHash('and t.tx_hash <> $10::varchar')],
    params: (command) =>
      command.trigger === 'retryVerification' ? [command.txHash, command.txHashGiven] : [],
    noted: true,
  },
  extendDeadline: { set: claimDeadline, noted: true },
  advanceDeadline: { set: claimDeadline, noted: true },
  freeze: {
    set: `, frozen_ms = greatest(0, extract(epoch from orders.timeout_at - now()) * 1000)::bigint`,
    noted: true,
  },
  unfreeze: { set: `${claimDeadline}, frozen_ms = null`, noted: true },
};
