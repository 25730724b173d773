import { violates } from '../../db/errors.ts';
import type { Database } from '../../db/orm.ts';
import { run, statement } from '../../db/statement.ts';
import { corridorName } from '../../domain/delivery.ts';
import { DomainError, invalidField } from '../../domain/errors.ts';
import { decimal } from '../../domain/money.ts';
import { offersBecomeDue } from './auto-claim-offers.ts';

/** A corridor of an LP. `method` is `ANY_METHOD` in a currency without corridors. */
export interface TermsKey {
  lpId: number;
  currency: string;
  method: string;
}

/**
 * A change of an LP's terms for a corridor. A missing property stays as it is. Amounts are decimal strings in the
 * currency.
 */
export interface TermsChange {
  rate?: TermsRate | undefined;
  min?: string | null | undefined;
  /** Null: the LP sets no maximum. */
  max?: string | null | undefined;
  /** The fiat that the LP can send for new orders. Null: Corridor does not count it. */
  float?: string | null | undefined;
  /** The float that the LP read last. If it has changed meanwhile, the change is refused. */
  expected_float?: string | null | undefined;
  float_low?: string | null | undefined;
  quoting?: boolean | undefined;
}

/** A rate for `validForMs` from now: units per USD, or basis points above the reference price. */
export type TermsRate = { validForMs: number } & (
  | { rate_usd: string; offset_bps?: undefined }
  | { offset_bps: number; rate_usd?: undefined }
);

/** The maximum number of an LP's terms: a page of the order feed or a quote may read all of them. */
export const MAX_TERMS = 200;

/**
 * CTE: locks the LP's auto-claim. Every statement locks the rows of one LP in this sequence: `lp`, `lp_auto_claim`,
 * `lp_collateral`, `lp_term`. Deposits and the steps of orders do so too, so they cannot deadlock. A CTE runs
 * when another one reads it, so the CTEs that lock terms must require `IN_TURN`.
 */
const turn = (condition = 'true') => `turn as materialized (
    select from lp_auto_claim where lp_id = $lpId and ${condition} for no key update
  )`;
const IN_TURN = '(select count(*) from turn) >= 0';

/** `$change` has the given properties as JSON. */
const given = (property: string, value: string, otherwise: string) =>
  `case when $change::jsonb ? '${property}' then ${value} else ${otherwise} end`;
const amount = (property: string) => `($change::jsonb ->> '${property}')::numeric`;
/** The bounds and the float after the change. */
const MIN = given('min', `coalesce(${amount('min')}, 0)`, 'known.min_fiat');
const MAX = given('max', amount('max'), 'known.max_fiat');
const FLOAT = given('float', amount('float'), 'known.float_available');
const QUOTES = given('quoting', `($change::jsonb ->> 'quoting')::boolean`, 'known.quoting');
/** The terms take fewer orders than before. Null is no limit. */
const NARROWS = `${MIN} > known.min_fiat or known.quoting and not ${QUOTES}
        or coalesce(${MAX}, 'infinity') < coalesce(known.max_fiat, 'infinity')
        or coalesce(${FLOAT}, 'infinity') < coalesce(known.float_available, 'infinity')`;
const VALID_UNTIL = `now() + ($change::jsonb ->> 'validForMs')::bigint * interval '1 ms'`;
const KEY = 'lp_id = $lpId and currency = $currency and method = $method';

const PUBLISH = statement(
  'terms-publish',
  `
  with room as materialized (
    select has_room_for_terms($lpId, ${MAX_TERMS}) as has_room
    where $change::jsonb ? 'rate' and not exists (select from lp_term where ${KEY})
  ),
  ${turn('(select count(*) from room) >= 0')},
  known as (
    select * from lp_term where ${KEY} and ${IN_TURN} for update
  ),
  changed as (
    update lp_term set
      rate_usd = ${given('rate', amount('rate_usd'), 'known.rate_usd')},
      offset_bps = ${given('rate', `($change::jsonb ->> 'offset_bps')::int`, 'known.offset_bps')},
      valid_until = ${given('rate', VALID_UNTIL, 'known.valid_until')},
      min_fiat = ${MIN},
      max_fiat = ${MAX},
      float_available = ${FLOAT},
      narrowed_at = case when ${NARROWS} then now() else known.narrowed_at end,
      float_low = ${given('float_low', amount('float_low'), 'known.float_low')},
      quoting = ${QUOTES},
      changed = feed_place(),
      updated_at = now()
    from known
    where lp_term.lp_id = known.lp_id and lp_term.currency = known.currency and lp_term.method = known.method
      and ${given('expected_float', `known.float_available is not distinct from ${amount('expected_float')}`, 'true')}
    returning lp_term.lp_id
  ),
  added as (
    insert into lp_term (lp_id, currency, method, rate_usd, offset_bps, valid_until, min_fiat, max_fiat, float_available,
      float_low, quoting)
    select $lpId, $currency, $method, ${amount('rate_usd')}, ($change::jsonb ->> 'offset_bps')::int, ${VALID_UNTIL},
      coalesce(${amount('min')}, 0), ${amount('max')}, ${amount('float')}, ${amount('float_low')},
      coalesce(($change::jsonb ->> 'quoting')::boolean, true)
    where (select has_room from room) and ${amount('expected_float')} is null and not exists (select from known)
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from changed union all select lp_id from added')}
  select exists (select from changed) or exists (select from added) as published,
    exists (select from known) as known, (select float_available from known) as float, (select has_room from room) as has_room`,
);

interface Published {
  published: boolean;
  /** Whether the LP had terms for the corridor before. */
  known: boolean;
  /** The LP's float before the change. */
  float: string | null;
  /** Whether it may have terms for one more corridor. Null: it needs none, or gave no rate. */
  has_room: boolean | null;
}

/** The first attempt can lose to a concurrent request that publishes the first terms. The next attempt finds those. */
const ATTEMPTS = 3;

/**
 * Publishes or changes an LP's terms for a corridor. Refuses with `validation_failed` if the first terms have no rate,
 * the LP has `MAX_TERMS` terms, or the minimum is above the maximum, and with `float_changed` if `expected_float` is not the
 * float.
 */
export async function publishTerms(db: Database, key: TermsKey, change: TermsChange): Promise<void> {
  const { lpId, currency, method } = key;
  const { rate, ...rest } = change;
  const values = {
    lpId,
    currency,
    method,
    change: JSON.stringify({ ...rest, ...rate, ...(rate && { rate: true }) }),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [row] = await run<Published>(db, PUBLISH, values);
      if (row?.published) return;
      throw whyRefused(key, change, row);
    } catch (error) {
      if (violates(error, 'lp_term_pkey') && attempt < ATTEMPTS) continue;
      if (violates(error, 'lp_term_band'))
        throw 'min' in change
          ? invalidField('min', 'must not be above your max')
          : invalidField('max', 'must not be below your min');
      throw error;
    }
  }
}

function whyRefused(
  { currency, method }: TermsKey,
  { rate }: TermsChange,
  before: Published | undefined,
): DomainError {
  if (!before?.known && !rate) {
    return invalidField(
      'rate_usd',
      `is required for your first terms in ${corridorName(currency, method)}, or offset_bps`,
    );
  }
  if (before?.has_room === false) {
    return invalidField(
      'currency',
      `You have terms in ${MAX_TERMS} corridors, and an LP may not have more: change those that you have`,
    );
  }
  const float = before?.float == null ? 'not counted' : `${decimal(before.float).toFixed()} ${currency}`;
  return new DomainError(
    'float_changed',
    `Your float is ${float}: an order or another request has changed it. Calculate the new float from that`,
  );
}

const QUOTING = statement(
  'terms-quoting',
  `
  with ${turn()},
  known as (
    select method from lp_term where lp_id = $lpId and currency = $currency and ${IN_TURN} order by method for update
  ),
  terms as (
    update lp_term set quoting = $quoting, changed = feed_place(), updated_at = now(),
      narrowed_at = case when lp_term.quoting and not $quoting then now() else narrowed_at end
    from known where lp_id = $lpId and currency = $currency and lp_term.method = known.method
    returning lp_id
  ),
  ${offersBecomeDue('select lp_id from terms')}
  select from terms`,
);

/** Stops or resumes quoting in all of the LP's corridors of a currency. Returns whether the LP has terms there. */
export async function setQuoting(
  db: Database,
  lpId: number,
  currency: string,
  quoting: boolean,
): Promise<boolean> {
  return (await run(db, QUOTING, { lpId, currency, quoting })).length > 0;
}
