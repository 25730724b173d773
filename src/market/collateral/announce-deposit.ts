import { violates } from '../../db/errors.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import type { Chain } from '../../domain/assets.ts';
import { MOST_LIVE_DEPOSITS } from '../../domain/deposit-status.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { amountPlaces, amountRange, largestPrice } from '../../domain/exact-amount.ts';
import { decimal, roundUp, SCALE, toPlain } from '../../domain/money.ts';
import { amountsExhausted, freeAmount, untilReserved } from '../pricing/draw-amount.ts';

export interface Announcement {
  lpId: number;
  /** USD, decimal string. */
  amount: string;
  asset: string;
  chain: Chain;
  /** As the LP wrote it. An announcement does not reserve the transaction. */
  txHash: string | null;
}

export interface AnnouncedDeposit {
  id: number;
  /** The exact amount that the transfer must pay, decimal string. */
  amount: string;
  expires_at: Date;
}

/** Collateral is in dollar tokens. */
const USD_PER_TOKEN = '1';

/** SQL: an amount of the range that is still reserved for an announcement of the same LP, which expired without a deposit. */
const OWN_EXPIRED = `
    select r.amount from collateral_deposit d
    join reserved_amount r
      on r.chain = d.chain and r.symbol = d.asset and r.purpose = 'deposit' and r.amount = d.amount and r.deposit_id = d.id
    where d.lp_id = $lpId::bigint and d.status = 'pending' and d.expires_at between now() - interval '30 days' and now()
      and d.chain = $chain and d.asset = $symbol and r.withdrawal_id is null
      and d.amount between $lowest::numeric and $lowest::numeric + ($count::int - 1) * $step::numeric
    limit 1`;

export const ANNOUNCE_DEPOSIT = statement(
  'deposit-announce',
  `
with room as materialized (
  select has_room_to_announce($lpId::bigint, ${MOST_LIVE_DEPOSITS}) as has_room
),
drawn as materialized (
  select coalesce((${OWN_EXPIRED}), ${freeAmount('deposit')}) as amount from room where has_room
),
deposit as (
  insert into collateral_deposit (lp_id, amount, asset, chain, tx_hash, expires_at)
  select $lpId::bigint, amount, $symbol, $chain, $txHash::varchar, now() + $lifetime::float8 * interval '1 ms'
  from drawn where amount is not null
  returning id, amount, expires_at
)
select room.has_room, deposit.id, deposit.amount, deposit.expires_at from room left join deposit on true`,
);

interface AnnouncedRow extends Record<string, unknown> {
  has_room: boolean;
  id: number | null;
  amount: string | null;
  expires_at: Date | string | null;
}

/**
 * Announces a deposit, and draws its exact amount. That is the announced amount, rounded up to the decimal places in
 * which payers owe the token, plus a suffix worth less than a cent. If an announcement of the LP expired unpaid, its
 * amount is drawn again, so that an LP uses up few amounts of a price. A trigger reserves it. `decimals`: those of the
 * token. `lifetime`: in ms. Refuses with `too_many_deposits`, with `amounts_exhausted`, and with `validation_failed` for
 * an amount above the maximum.
 */
export function announceDeposit(
  db: Database,
  { lpId, amount, asset, chain, txHash }: Announcement,
  { decimals, lifetime }: { decimals: number; lifetime: number },
): Promise<AnnouncedDeposit> {
  const places = Math.min(amountPlaces(USD_PER_TOKEN, decimals), SCALE.usd);
  const price = roundUp(decimal(amount), places);
  const most = largestPrice(places);
  if (price.gt(most)) throw invalidField('amount', `must be at most ${decimal(most).toFixed()} ${asset}`);
  const amounts = amountRange(toPlain(price, places), USD_PER_TOKEN, places);
  const given = { lpId, symbol: asset, chain, txHash, lifetime, ...amounts };
  return untilReserved(async () => {
    const [row] = await run<AnnouncedRow>(db, ANNOUNCE_DEPOSIT, given).catch((error) => {
      if (violates(error, 'reserved_amount_pkey')) return [undefined];
      throw error;
    });
    if (!row) return 'amount_taken';
    if (!row.has_room) throw new DomainError('too_many_deposits');
    if (row.id === null || row.amount === null || row.expires_at === null)
      throw amountsExhausted('deposit', amounts, { symbol: asset, chain });
    return { id: row.id, amount: row.amount, expires_at: new Date(row.expires_at) };
  });
}
