import type { Guard } from '../guard.ts';

const SCHEMA = 'src/db/migrations/initial.sql';
const CONFIRM = 'src/market/collateral/confirm-deposit.ts';
const ATTACKS = 'test/system/attacks/deposits.test.ts';
const AMOUNTS = 'test/attacks/deposit-amounts.test.ts';
const FOUND = 'test/system/attacks/found-deposits.test.ts';
const VERIFY = 'src/market/collateral/verify-deposit.ts';
const PAYOUTS = 'test/system/attacks/payouts.test.ts';
const NOT_SHARED = { file: ATTACKS, name: 'cannot be shared, even by a direct insert of an announcement' };
const TWENTY = { file: ATTACKS, name: 'has at most twenty live announcements, even with parallel calls' };

/**
 * Only the LP that announced a deposit gets it credited, once, and chain checks are limited. A payout is recorded with the
 * transaction that pays it.
 */
export const DEPOSITS: readonly Guard[] = [
  {
    name: 'deposit: only exactly the amount of the announcement pays it',
    file: 'src/domain/payment-verdict.ts',
    text: 'decimal(given.amount).eq(amount)',
    without: 'decimal(given.amount).gte(amount)',
    attack: { file: ATTACKS, name: 'gets nothing by announcing and confirming it' },
  },
  {
    name: 'deposit: an announcement reserves its amount',
    file: SCHEMA,
    text: "when (new.status = 'pending') execute function reserve_deposit_amount();",
    without: "when (new.status = 'confirmed') execute function reserve_deposit_amount();",
    attack: NOT_SHARED,
  },
  {
    name: 'deposit: no two live announcements ask for the same amount',
    file: SCHEMA,
    text: 'or reserved_amount.withdrawal_id is null and is_own_expired_deposit(reserved_amount.deposit_id, new.lp_id);',
    without: 'or true;',
    attack: NOT_SHARED,
  },
  {
    name: 'deposit: the amount stays reserved for 30 days',
    file: SCHEMA,
    text: 'new.id, new.expires_at + deposit_hold(new.lp_id))',
    without: 'new.id, new.expires_at)',
    attack: { file: ATTACKS, name: 'is not used again for 30 days' },
  },
  {
    name: 'deposit: the amount of an LP that nobody approved is free after a day',
    file: SCHEMA,
    text: "case status when 'pending' then interval '1 day' else",
    without: "case status when 'unknown' then interval '1 day' else",
    attack: { file: AMOUNTS, name: 'keeps the amount of an unpaid announcement from others for' },
  },
  {
    name: 'deposit: an LP uses up few amounts of a price',
    file: 'src/market/collateral/announce-deposit.ts',
    text: "coalesce((${OWN_EXPIRED}), ${freeAmount('deposit')})",
    without: "${freeAmount('deposit')}",
    attack: { file: AMOUNTS, name: 'uses up no more amounts of a price than it may announce at a time' },
  },
  {
    name: 'deposit: an LP takes over only its own amount',
    file: SCHEMA,
    text: 'where id = deposit and lp_id = depositor and',
    without: 'where id = deposit and',
    attack: { file: AMOUNTS, name: 'which has expired, is refused to another LP' },
  },
  {
    name: 'deposit: an LP takes over no amount that it has paid',
    file: SCHEMA,
    text: "lp_id = depositor and status = 'pending' and expires_at <= now());",
    without: 'lp_id = depositor and expires_at <= now());',
    attack: { file: AMOUNTS, name: 'which is paid, is refused to its LP too' },
  },
  {
    name: 'deposit: a transfer from before the announcement does not pay it',
    file: VERIFY,
    text: 'notBefore: earliestBlock(created_at, chainClockSkew),',
    without: 'notBefore: earliestBlock(new Date(0), Math.min(chainClockSkew, created_at.getTime(), 0)),',
    attack: { file: ATTACKS, name: 'is not paid by a transfer of it from before the announcement' },
  },
  {
    name: 'deposit: its transaction counts once',
    file: CONFIRM,
    text: 'from deposit where $normalisedHash is not null',
    without: 'from deposit where $normalisedHash is not null and false',
    attack: { file: ATTACKS, name: 'gets nothing with the owner’s amount when it is free again' },
  },
  {
    name: 'deposit: an expired announcement is not credited',
    file: CONFIRM,
    text: "where id = $depositId and status = 'pending' and expires_at > now() returning *",
    without: "where id = $depositId and status = 'pending' returning *",
    attack: { file: ATTACKS, name: 'is not credited, and shows that it has expired' },
  },
  {
    name: 'deposit: an expired announcement is not looked up',
    file: VERIFY,
    text: 'if (expires_at <= new Date())',
    without: 'if (expires_at <= new Date(0))',
    attack: { file: ATTACKS, name: 'is not looked up' },
  },
  {
    name: 'deposit: an LP has a limit of live announcements',
    file: SCHEMA,
    text: 'return (select count(*) < most from collateral_deposit',
    without: 'return (select count(*) < most + 100 from collateral_deposit',
    attack: TWENTY,
  },
  {
    name: 'deposit: parallel announcements of an LP wait for each other',
    file: SCHEMA,
    text: 'perform from lp where id = depositor for no key update;',
    without: 'perform from lp where id = depositor;',
    attack: { file: ATTACKS, name: 'even if the next one begins before the twentieth has committed' },
  },
  {
    name: 'deposit: look-ups are counted before they begin',
    file: 'src/market/collateral/count-lookup.ts',
    text: 'where id = $id and lookups < ${MOST_LOOKUPS} returning id',
    without: 'where id = $id and lookups < ${MOST_LOOKUPS * 2} returning id',
    attack: { file: ATTACKS, name: 'that is suspended cannot have the chain checked more often' },
  },
  {
    name: 'deposit: confirmations of an LP have a rate limit',
    file: 'src/api/resources/collateral-deposits/routes.ts',
    text: "keyLimit: { name: 'confirm-deposit', max: settings.limits.confirmDeposit },",
    without: '',
    attack: { file: ATTACKS, name: 'has a limit of confirmations per minute' },
  },
  {
    name: 'deposit: only its own LP confirms it',
    file: 'src/api/resources/collateral-deposits/routes.ts',
    text: '.findOne(CollateralDeposit, { id: idFrom(params.deposit_id), lp_id: lp.id });',
    without: '.findOne(CollateralDeposit, { id: idFrom(params.deposit_id) });',
    attack: { file: ATTACKS, name: 'gets nothing by confirming the owner’s announcement' },
  },
  {
    name: 'deposit: a transfer that a search finds is verified',
    file: VERIFY,
    text: 'if (reason !== undefined) throw refused(reason);',
    without: 'if (reason !== undefined && named !== null) throw refused(reason);',
    attack: { file: FOUND, name: 'is credited with the transfer of its amount, once that is final' },
  },
  {
    name: 'deposit: a transaction that a search finds counts once',
    file: 'src/api/resources/collateral-deposits/routes.ts',
    text: 'await confirmDeposit(db, deposit.id, txHash);',
    without: 'await confirmDeposit(db, deposit.id, txHash && named);',
    attack: { file: FOUND, name: 'is not paid by a transaction that has paid another deposit' },
  },
  {
    name: 'deposit: a search takes no transfer of another amount',
    file: 'src/adapters/chain-evm.ts',
    text: 'decimal(paid.amount).eq(amount) &&',
    without: '',
    attack: { file: FOUND, name: 'finds its own transfer among those of other amounts' },
  },
  {
    name: 'deposit: a search takes no transfer from before the announcement',
    file: 'src/adapters/search-evm.ts',
    text: 'const isNewEnough = (await timeOf(newest.blockNumber)) >= notBefore;',
    without: 'const isNewEnough = (await timeOf(newest.blockNumber)) >= new Date(0);',
    attack: { file: FOUND, name: 'is not paid by a transfer of its amount from before the announcement' },
  },
  {
    name: 'deposit: a search counts as a look-up',
    file: VERIFY,
    text: 'await countLookup(db, id);',
    without: 'if (named !== null) await countLookup(db, id);',
    attack: { file: FOUND, name: 'counts as a look-up, and beyond the limit the node gets no request' },
  },
  {
    name: 'deposit: a search costs a fixed number of requests',
    file: 'src/adapters/bounded-search.ts',
    text: 'steps < mostSteps && Date.now() < beginUntil;',
    without: 'steps < mostSteps * 3 && Date.now() < beginUntil;',
    attack: { file: FOUND, name: 'costs a fixed number of requests, however long the chain is' },
  },
  {
    name: 'payout: its transaction is verified',
    file: 'src/api/resources/withdrawals/routes.ts',
    text: 'if (requested) await verifyPayout(',
    without: 'if (requested && id < 0) await verifyPayout(',
    attack: { file: PAYOUTS, name: 'is not recorded with' },
  },
  {
    name: 'payout: a real chain needs its transaction',
    file: 'src/market/collateral/verify-payout.ts',
    text: 'if (verifier.simulated) return;',
    without: 'return;',
    attack: { file: PAYOUTS, name: 'is not recorded without a hash' },
  },
  {
    name: 'payout: a transfer from before the request does not pay it',
    file: 'src/market/collateral/verify-payout.ts',
    text: 'notBefore: earliestBlock(created_at, chainClockSkew),',
    without: 'notBefore: earliestBlock(new Date(0), Math.min(chainClockSkew, created_at.getTime(), 0)),',
    attack: { file: PAYOUTS, name: 'is not recorded with a transfer from before its request' },
  },
];
