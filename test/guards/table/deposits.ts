import { inFile } from '../guard.ts';

const ATTACKS = 'test/system/attacks/deposits.test.ts';
const SCHEMA = 'src/db/migrations/functions.sql';
const AMOUNTS = 'test/attacks/deposit-amounts.test.ts';
const VERIFY = 'src/market/collateral/verify-deposit.ts';
const FOUND = 'test/system/attacks/found-deposits.test.ts';
const PAYOUTS = 'test/system/attacks/payouts.test.ts';

/**
 * Only the LP that announced a deposit gets it credited, once, and chain checks are limited. A payout is recorded with the
 * transaction that pays it.
 */
export const DEPOSITS = [
  ...inFile('src/domain/payment-verdict.ts', ATTACKS, [
    ['deposit: only exactly the amount of the announcement pays it', 'decimal(given.amount).eq(amount)',
      'decimal(given.amount).gte(amount)', 'gets nothing by announcing and confirming it']]),
  ...inFile(SCHEMA, ATTACKS, [
    ['deposit: an announcement reserves its amount',
      "when (new.status = 'pending') execute function reserve_deposit_amount();",
      "when (new.status = 'confirmed') execute function reserve_deposit_amount();",
      'cannot be shared, even by a direct insert of an announcement'],
    ['deposit: no two live announcements ask for the same amount',
      'or reserved_amount.withdrawal_id is null and is_own_expired_deposit(reserved_amount.deposit_id, new.lp_id);',
      'or true;', 'cannot be shared, even by a direct insert of an announcement'],
    ['deposit: the amount stays reserved for 30 days', 'new.id, new.expires_at + deposit_hold(new.lp_id))',
      'new.id, new.expires_at)', 'is not used again for 30 days'],
    ['deposit: an LP has a limit of live announcements',
      'return (select count(*) < most from collateral_deposit',
      'return (select count(*) < most + 100 from collateral_deposit',
      'has at most twenty live announcements, even with parallel calls'],
    ['deposit: parallel announcements of an LP wait for each other',
      'perform from lp where id = depositor for no key update;', 'perform from lp where id = depositor;',
      'even if the next one begins before the twentieth has committed']]),
  ...inFile(SCHEMA, AMOUNTS, [
    ['deposit: the amount of an LP that nobody approved is free after a day',
      "case status when 'pending' then interval '1 day' else",
      "case status when 'unknown' then interval '1 day' else",
      'keeps the amount of an unpaid announcement from others for'],
    ['deposit: an LP takes over only its own amount', 'where id = deposit and lp_id = depositor and',
      'where id = deposit and', 'which has expired, is refused to another LP'],
    ['deposit: an LP takes over no amount that it has paid',
      "lp_id = depositor and status = 'pending' and expires_at <= now());",
      'lp_id = depositor and expires_at <= now());', 'which is paid, is refused to its LP too']]),
  ...inFile('src/market/collateral/announce-deposit.ts', AMOUNTS, [
    ['deposit: an LP uses up few amounts of a price', "coalesce((${OWN_EXPIRED}), ${freeAmount('deposit')})",
      "${freeAmount('deposit')}", 'uses up no more amounts of a price than it may announce at a time']]),
  ...inFile(VERIFY, ATTACKS, [
    ['deposit: a transfer from before the announcement does not pay it',
      'notBefore: earliestBlock(created_at, chainClockSkew),',
      'notBefore: earliestBlock(new Date(0), Math.min(chainClockSkew, created_at.getTime(), 0)),',
      'is not paid by a transfer of it from before the announcement'],
    ['deposit: an expired announcement is not looked up', 'if (expires_at <= new Date())',
      'if (expires_at <= new Date(0))', 'is not looked up']]),
  ...inFile('src/market/collateral/confirm-deposit.ts', ATTACKS, [
    ['deposit: its transaction counts once', 'from deposit where $normalisedHash is not null',
      'from deposit where $normalisedHash is not null and false',
      'gets nothing with the owner’s amount when it is free again'],
    ['deposit: an expired announcement is not credited',
      "where id = $depositId and status = 'pending' and expires_at > now() returning *",
      "where id = $depositId and status = 'pending' returning *",
      'is not credited, and shows that it has expired']]),
  ...inFile('src/market/collateral/count-lookup.ts', ATTACKS, [
    ['deposit: look-ups are counted before they begin',
      'where id = $id and lookups < ${MOST_LOOKUPS} returning id',
      'where id = $id and lookups < ${MOST_LOOKUPS * 2} returning id',
      'that is suspended cannot have the chain checked more often']]),
  ...inFile('src/api/resources/collateral-deposits/routes.ts', ATTACKS, [
    ['deposit: confirmations of an LP have a rate limit',
      "keyLimit: { name: 'confirm-deposit', max: settings.limits.confirmDeposit },", '',
      'has a limit of confirmations per minute'],
    ['deposit: only its own LP confirms it',
      '.findOne(CollateralDeposit, { id: idFrom(params.deposit_id), lp_id: lp.id });',
      '.findOne(CollateralDeposit, { id: idFrom(params.deposit_id) });',
      'gets nothing by confirming the owner’s announcement']]),
  ...inFile(VERIFY, FOUND, [
    ['deposit: a transfer that a search finds is verified',
      'if (reason !== undefined) throw refused(reason);',
      'if (reason !== undefined && named !== null) throw refused(reason);',
      'is credited with the transfer of its amount, once that is final'],
    ['deposit: a search counts as a look-up', 'await countLookup(db, id);',
      'if (named !== null) await countLookup(db, id);',
      'counts as a look-up, and beyond the limit the node gets no request']]),
  ...inFile('src/api/resources/collateral-deposits/routes.ts', FOUND, [
    ['deposit: a transaction that a search finds counts once',
      'await confirmDeposit(db, deposit.id, txHash);',
      'await confirmDeposit(db, deposit.id, txHash && named);',
      'is not paid by a transaction that has paid another deposit']]),
  ...inFile('src/adapters/chain-evm.ts', FOUND, [
    ['deposit: a search takes no transfer of another amount', 'decimal(paid.amount).eq(amount) &&', '',
      'finds its own transfer among those of other amounts']]),
  ...inFile('src/adapters/search-evm.ts', FOUND, [
    ['deposit: a search takes no transfer from before the announcement',
      'const isNewEnough = (await timeOf(newest.blockNumber)) >= notBefore;',
      'const isNewEnough = (await timeOf(newest.blockNumber)) >= new Date(0);',
      'is not paid by a transfer of its amount from before the announcement']]),
  ...inFile('src/adapters/bounded-search.ts', FOUND, [
    ['deposit: a search costs a fixed number of requests', 'steps < mostSteps && Date.now() < beginUntil;',
      'steps < mostSteps * 3 && Date.now() < beginUntil;',
      'costs a fixed number of requests, however long the chain is']]),
  ...inFile('src/api/resources/withdrawals/routes.ts', PAYOUTS, [
    ['payout: its transaction is verified', 'if (requested) await verifyPayout(',
      'if (requested && id < 0) await verifyPayout(', 'is not recorded with']]),
  ...inFile('src/market/collateral/verify-payout.ts', PAYOUTS, [
    ['payout: a real chain needs its transaction', 'if (verifier.simulated) return;', 'return;',
      'is not recorded without a hash'],
    ['payout: a transfer from before the request does not pay it',
      'notBefore: earliestBlock(created_at, chainClockSkew),',
      'notBefore: earliestBlock(new Date(0), Math.min(chainClockSkew, created_at.getTime(), 0)),',
      'is not recorded with a transfer from before its request']]),
];
