import { decimal } from '../../src/domain/money.ts';
import { exceededCaps, startsInWindows, unrequestedEvents, wrongStrikes } from './history.ts';
import { hashKey, type Market, rowsOf } from './market.ts';

/** Rules that must hold at every moment. Each returns a description of its breaches. */
const RULES: ((market: Market) => Promise<string[]>)[] = [
  wrongPayments,
  wrongDeposits,
  sharedHashes,
  sharedAmounts,
  exceededCaps,
  wrongStrikes,
  unrequestedEvents,
  startsInWindows,
  rejectedHonestOrders,
  async ({ refusedDeposits }) => refusedDeposits,
  wrongBooks,
];

export const findBreaches = async (market: Market): Promise<string[]> =>
  (await Promise.all(RULES.map((rule) => rule(market)))).flat();

interface PaidOrder {
  id: number;
  amount: string;
  lpId: number;
  agentKeyId: number;
  address: string;
  claimedMs: number;
  hashes: string[];
}

/** Each completed order has one transaction, of exactly its amount, to its LP, after its claim, and made for it. */
async function wrongPayments(market: Market): Promise<string[]> {
  const paid = await rowsOf<PaidOrder>(
    market,
    `select o.id::int, trim_scale(o.amount_crypto)::text as amount, o.lp_id::int as "lpId",
       o.agent_key_id::int as "agentKeyId", o.lp_receive_address as address,
       (select extract(epoch from max(e.created_at))::float * 1000 from order_event e
        where e.order_id = o.id and e.status = 'claimed' and e.from_status = 'matched') as "claimedMs",
       array(select t.tx_hash from chain_transaction t where t.order_id = o.id)::text[] as hashes
     from orders o where o.status = 'completed'`,
  );
  // Read after the orders, so that the chain has all their transactions.
  const onChain = new Map(
    (await market.chain.readTransfers(market.corridor)).map((one) => [hashKey(one.hash), one]),
  );
  const madeFor = new Map(market.transfers.map(({ hash, orderId }) => [hash, orderId]));
  return paid.flatMap(({ id, amount, lpId, address, claimedMs, hashes }) => {
    const [hash = ''] = hashes;
    if (hashes.length !== 1)
      return [`order ${id} is completed with ${hashes.length} transactions: ${hashes}`];
    const found = onChain.get(hash);
    if (!found) return [`order ${id} is completed with ${hash}, which is not on the chain`];
    const lp = market.lps.find((one) => one.id === lpId);
    const isOurs = [lp?.address, address].every((one) => one?.toLowerCase() === found.to.toLowerCase());
    const late = found.atMs + market.chain.skewMs - claimedMs;
    return [
      ...(decimal(found.amount).eq(amount)
        ? []
        : [`order ${id} asks for ${amount}, ${hash} pays ${found.amount}`]),
      ...(isOurs ? [] : [`order ${id} belongs to LP ${lpId} at ${lp?.address}, ${hash} pays ${found.to}`]),
      ...(late >= 0 ? [] : [`order ${id} was claimed ${-late} ms after ${hash}, which pays it`]),
      ...(madeFor.get(hash) === id
        ? []
        : [`order ${id} is paid by ${hash}, made for order ${madeFor.get(hash)}`]),
    ];
  });
}

interface CreditedDeposit {
  id: number;
  amount: string;
  announcedMs: number;
  hashes: string[];
}

/** Each credited deposit has one transaction, of exactly its amount, after its announcement, and made for it. */
async function wrongDeposits(market: Market): Promise<string[]> {
  const announced = new Map(market.deposits.map((one) => [one.id, one]));
  const credited = await rowsOf<CreditedDeposit>(
    market,
    `select d.id::int, trim_scale(d.amount)::text as amount,
       extract(epoch from d.created_at)::float * 1000 as "announcedMs",
       array(select t.tx_hash from chain_transaction t where t.deposit_id = d.id)::text[] as hashes
     from collateral_deposit d where d.status = 'confirmed'`,
  );
  const onChain = new Map(
    (await market.chain.readTransfers(market.corridor)).map((one) => [hashKey(one.hash), one]),
  );
  return credited.flatMap(({ id, amount, announcedMs, hashes }) => {
    const announcement = announced.get(id);
    // The initial collateral of the LPs.
    if (!announcement) return [];
    const [hash = ''] = hashes;
    const found = hashes.length === 1 ? onChain.get(hash) : undefined;
    if (!found) return [`deposit ${id} is credited with ${hashes.join(' and ') || 'no transaction'}`];
    const isPaid = decimal(found.amount).eq(amount) && decimal(announcement.amount).eq(amount);
    const isOurs = found.to.toLowerCase() === announcement.address.toLowerCase();
    return [
      ...(isPaid ? [] : [`deposit ${id} is credited with ${amount}, ${hash} pays ${found.amount}`]),
      ...(isOurs ? [] : [`deposit ${id} is credited with ${hash}, which pays ${found.to}`]),
      ...(found.atMs + market.chain.skewMs >= announcedMs ? [] : [`deposit ${id} is younger than ${hash}`]),
      ...(announcement.hash === hash ? [] : [`deposit ${id} is credited with ${hash}, made for another`]),
    ];
  });
}

/** No transaction serves two of orders, deposits and payouts. */
async function sharedHashes(market: Market): Promise<string[]> {
  const used = await rowsOf<{ what: string; chain: string; hash: string }>(
    market,
    `select 'order ' || id as what, crypto_chain as chain, user_crypto_tx_hash as hash from orders
       where status = 'completed'
     union all select 'deposit ' || id, chain, tx_hash from collateral_deposit
       where status = 'confirmed' and tx_hash is not null
     union all select 'payout ' || id, chain, tx_hash from collateral_withdrawal
       where status = 'paid' and tx_hash is not null`,
  );
  const uses = Map.groupBy(used, ({ chain, hash }) => `${chain} ${hashKey(hash)}`);
  return [...uses]
    .filter(([, users]) => users.length > 1)
    .map(([hash, users]) => `${hash} serves ${users.map(({ what }) => what).join(' and ')}`);
}

/** No payout has the amount that the payer of a live order is asked for. */
async function sharedAmounts(market: Market): Promise<string[]> {
  const shared = await rowsOf<{ withdrawal: number; order: number; amount: string }>(
    market,
    `select w.id::int as withdrawal, o.id::int as "order", trim_scale(w.amount)::text as amount
     from collateral_withdrawal w
     join orders o on o.crypto_chain = w.chain and o.crypto_symbol = w.asset and o.amount_crypto = w.amount
     where w.status = 'requested' and o.status not in ('completed', 'cancelled')`,
  );
  return shared.map(
    ({ withdrawal, order, amount }) => `withdrawal ${withdrawal} has the amount ${amount} of order ${order}`,
  );
}

/** No attacker can make the service reject the transfer of an honest agent, for example by naming its hash first. */
async function rejectedHonestOrders(market: Market): Promise<string[]> {
  const honest = market.agents.filter(({ isHonest }) => isHonest).map(({ keyId }) => keyId);
  const rejected = await rowsOf<{ id: number; reason: string | null }>(
    market,
    `select o.id::int, e.reason from order_event e join orders o on o.id = e.order_id
     where e.cause = 'invalid' and o.agent_key_id in (${honest.join(', ')})`,
  );
  return rejected.map(({ id, reason }) => `the transfer of honest order ${id} was rejected: ${reason}`);
}

/** An LP's collateral equals its deposits less payouts, fees and slashes. Its locked part equals that of its open orders. */
async function wrongBooks(market: Market): Promise<string[]> {
  const wrong = await rowsOf<{ lp: number; has: string; owed: string; locked: string; claims: string }>(
    market,
    `select * from (
       select c.lp_id::int as lp, c.available + c.locked + c.withdrawing as has, c.locked,
         (select coalesce(sum(amount), 0) from collateral_deposit d where d.lp_id = c.lp_id and d.status = 'confirmed')
         - (select coalesce(sum(amount), 0) from collateral_withdrawal w where w.lp_id = c.lp_id and w.status = 'paid')
         - (select coalesce(sum(fee_usd), 0) from orders o where o.lp_id = c.lp_id and o.status = 'completed')
         - (select coalesce(sum(slashed_usd), 0) from orders o where o.lp_id = c.lp_id) as owed,
         (select coalesce(sum(collateral_locked), 0) from orders o where o.lp_id = c.lp_id
            and o.status in ('claimed', 'fiat_sent', 'confirmed', 'crypto_verify_pending', 'disputed')) as claims
       from lp_collateral c
     ) books where has <> owed or locked <> claims`,
  );
  return wrong.map(
    ({ lp, has, owed, locked, claims }) =>
      `LP ${lp} has ${has} USD and should have ${owed}; ${locked} USD are locked, its orders lock ${claims}`,
  );
}

/** Once all orders have ended, nothing is locked, and no amount is reserved for an order without an end. */
export async function findLeftovers(market: Market): Promise<string[]> {
  const left = await rowsOf<{ what: string }>(
    market,
    `select 'LP ' || lp_id || ' has ' || locked || ' USD locked' as what from lp_collateral where locked <> 0
     union all select 'order ' || order_id || ' reserves ' || amount from reserved_amount where order_id is not null and expires_at is null
     union all select 'order ' || id || ' is ' || status from orders where status not in ('completed', 'cancelled')`,
  );
  return left.map(({ what }) => what);
}
