import type { Lp } from '../db/entities/lp.ts';
import type { Order } from '../db/entities/order.ts';
import type { Database } from '../db/orm.ts';
import { pausesOf, paymentOf } from '../db/pauses.ts';
import { run, statement } from '../db/statement.ts';
import { collateralForOrder } from '../domain/collateral.ts';
import { corridorName } from '../domain/delivery.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import { paused } from '../domain/paused.ts';
import { strikesOf } from '../market/lps/cool-down.ts';
import {
  CLAIM_CONDITIONS,
  CLAIM_OBSTACLE,
  type ClaimObstacle,
  claimantRows,
} from '../market/lps/may-claim.ts';

/** The LP's address for the order's token, and the collateral that its claim locks: USD, decimal string. */
export interface ClaimTerms {
  address: string;
  destinationTag: number | null;
  locks: string;
}

/** An LP that wants to claim an order, and what the text of a refusal names. Amounts are decimal strings. */
interface Claimant extends Record<string, unknown> {
  obstacle: ClaimObstacle | null;
  /** USD. */
  available: string;
  address: string | null;
  destination_tag: number | null;
  status: string;
  /** A time. */
  cooling_until: string | null;
  min_fiat: string;
  max_fiat: string;
  float_available: string;
  paused: string | null;
}

const CLAIMANT = statement(
  'claimant',
  `select ${CLAIM_OBSTACLE} as obstacle,
    lp.status, collateral.available, asset.address, asset.destination_tag, struck.cooling_until,
    term.min_fiat, term.max_fiat, term.float_available, (${pausesOf(paymentOf('orders'))} limit 1) as paused
  from orders
  cross join ${claimantRows()}
  cross join lateral (${strikesOf('lp.id', '$strikeCoolDown')}) struck
  where orders.id = $orderId and lp.id = $lpId`,
);

/**
 * Returns the terms of an LP's claim of an open order. Refuses an LP that may not claim it, which needs only the rows and no
 * signal to the workflow. `strikeCoolDown`: the first cool-down after a strike, in ms.
 */
export async function claimTerms(
  db: Database,
  order: Order,
  lp: Pick<Lp, 'id' | 'tier'>,
  strikeCoolDown: number,
): Promise<ClaimTerms> {
  const [claimant] = await run<Claimant>(db, CLAIMANT, {
    ...{ orderId: order.id, lpId: lp.id, strikeCoolDown },
    // The command does not exist yet.
    ...{ cause: 'claim', validUntil: 'infinity' },
  });
  if (!claimant) throw new Error(`LP ${lp.id} has no collateral account`);
  const locks = collateralForOrder(order.amount_usd, lp.tier);
  const { obstacle, address, destination_tag } = claimant;
  if (obstacle !== null) throw refusal(obstacle, claimant, order, locks);
  if (address === null) throw new Error(`LP ${lp.id} has an asset without an address`);
  return { address, destinationTag: destination_tag, locks };
}

function refusal(obstacle: ClaimObstacle, claimant: Claimant, order: Order, locks: string): DomainError {
  const { amount_fiat, currency, corridor_method, crypto_symbol, crypto_chain } = order;
  const { refusal: code } = CLAIM_CONDITIONS[obstacle];
  const corridor = corridorName(currency, corridor_method);
  const outside = (why: string, limit: string) =>
    new DomainError(
      code,
      `${decimal(amount_fiat).toFixed()} ${currency} is ${why} of ${decimal(limit).toFixed()} ${corridor}`,
    );
  switch (obstacle) {
    case 'approved':
      return notApproved(claimant);
    case 'not_paused':
      return paused(claimant.paused ?? undefined);
    case 'cooled_down':
      return coolingDown(new Date(claimant.cooling_until ?? Date.now()));
    case 'address':
      return new DomainError(
        code,
        `No receive address for ${crypto_symbol} on ${crypto_chain}: register one first`,
      );
    case 'corridor':
      return new DomainError(code, `You have no terms for ${corridor}: publish them first`);
    case 'minimum':
      return outside('below your minimum', claimant.min_fiat);
    case 'maximum':
      return outside('above your maximum', claimant.max_fiat);
    case 'float':
      return outside('more than your float', claimant.float_available);
    case 'collateral': {
      const free = decimal(claimant.available).toFixed(2);
      return new DomainError(
        code,
        `Insufficient collateral: the order locks ${locks} USD, and ${free} USD are available`,
      );
    }
    default:
      return new DomainError(code);
  }
}

export const notApproved = ({ status }: { status: string }): DomainError =>
  new DomainError(
    'lp_not_approved',
    status === 'suspended'
      ? 'This LP is suspended: it can finish its own orders, and claims again when an admin has approved it again'
      : undefined,
  );

function coolingDown(until: Date): DomainError {
  const retryAfter = Math.max(1, Math.ceil((until.getTime() - Date.now()) / 1_000));
  const text = `This LP is cooling down after a strike: it may claim again from ${until.toISOString()} on`;
  return new DomainError('lp_cooling_down', text, { retryAfter });
}
