import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import type { Chain } from '../../domain/assets.ts';
import { DomainError } from '../../domain/errors.ts';
import type { AmountPurpose, AmountRange } from '../../domain/exact-amount.ts';
import { decimal } from '../../domain/money.ts';
import type { PaymentQuote } from './quote-payment.ts';

type Token = Pick<PaymentQuote, 'crypto_symbol' | 'crypto_chain'>;

/** Amounts that are tried at random. One of them is free unless more than two thirds of a range are in use. */
const TRIES = 32;

const isFree = (purpose: AmountPurpose) => `not exists (
  select from reserved_amount r
  where r.chain = $chain and r.symbol = $symbol and r.purpose = '${purpose}' and r.amount = candidate.amount
    and (r.expires_at is null or r.expires_at > now())
)`;

/**
 * SQL for a random free amount of a range; null if there is none. Searches all amounts only if no random one is free.
 */
export const freeAmount = (purpose: AmountPurpose) => `coalesce(
  (select amount from (
    select $lowest::numeric + floor(random() * $count::int)::int * $step::numeric as amount
    from generate_series(1, ${TRIES})
  ) candidate where ${isFree(purpose)} limit 1),
  (select amount from (
    select $lowest::numeric + n * $step::numeric as amount from generate_series(0, $count::int - 1) n
  ) candidate where ${isFree(purpose)} order by random() limit 1)
)`;

const DRAW = statement(
  'draw-amount',
  `select nextval('orders_id_seq') as id, now() as at, ${freeAmount('order')} as amount_crypto`,
);

/** What a new order begins with. */
export interface DrawnOrder {
  id: number;
  /** The time by the database's clock, from which the first deadline counts. */
  at: Date;
  /** What the order asks for exactly, decimal string. */
  amount_crypto: string;
}

/**
 * Returns an order id, the time, and a free amount for the order. Reserves nothing yet: the insert of the order reserves
 * the amount. Refuses with `amounts_exhausted`.
 */
export async function drawAmount(
  db: Database,
  amounts: AmountRange,
  { crypto_symbol: symbol, crypto_chain: chain }: Token,
): Promise<DrawnOrder> {
  const given = { ...amounts, symbol, chain };
  const [row] = await run<{ id: number; at: Date | string; amount_crypto: string | null }>(db, DRAW, given);
  if (!row) throw new Error('The sequence orders_id_seq returned no id');
  const { id, at, amount_crypto } = row;
  if (amount_crypto === null) throw amountsExhausted('order', amounts, { symbol, chain });
  return { id, at: new Date(at), amount_crypto };
}

/** Requests may draw the same free amount at the same moment. One of them gets it, and the others draw again. */
const MOST_DRAWS = 20;

/** Runs `attempt` until it returns something other than `amount_taken`. */
export async function untilReserved<T>(attempt: () => Promise<T | 'amount_taken'>): Promise<T> {
  for (let draws = 0; draws < MOST_DRAWS; draws++) {
    const result = await attempt();
    if (result !== 'amount_taken') return result;
  }
  throw new DomainError('amounts_exhausted', undefined, { retryAfter: 1 });
}

const IN_USE: Record<AmountPurpose, { holders: string; instead: string }> = {
  order: { holders: 'Live orders and rate locks', instead: 'pay with another token or chain' },
  deposit: { holders: 'Announced deposits', instead: 'announce another amount' },
};

/** The refusal when every amount of a range is in use. */
export function amountsExhausted(
  purpose: AmountPurpose,
  { lowest, step, count }: AmountRange,
  { symbol, chain }: { symbol: string; chain: Chain },
): DomainError {
  const { holders, instead } = IN_USE[purpose];
  const highest = decimal(step)
    .mul(count - 1)
    .plus(lowest);
  const range = `${decimal(lowest).toFixed()} to ${highest.toFixed()} ${symbol} on ${chain}`;
  const text = `${holders} use all ${count} amounts from ${range}: try again later, or ${instead}`;
  return new DomainError('amounts_exhausted', text, { retryAfter: 30 });
}
