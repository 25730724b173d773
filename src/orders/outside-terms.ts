import type { Order } from '../db/entities/order.ts';
import { corridorName } from '../domain/delivery.ts';
import { DomainError } from '../domain/errors.ts';
import { decimal } from '../domain/money.ts';
import type { Claimant } from './find-order.ts';

/**
 * Why an LP's terms do not take the order: `corridor_not_served` or `outside_terms`. Undefined: the terms take the
 * order.
 */
export function outsideTerms(
  { amount_fiat, currency, corridor_method }: Pick<Order, 'amount_fiat' | 'currency' | 'corridor_method'>,
  { terms }: Pick<Claimant, 'terms'>,
): DomainError | undefined {
  if (!terms) {
    const text = `You have no terms for ${corridorName(currency, corridor_method)}: publish them first`;
    return new DomainError('corridor_not_served', text);
  }
  const amount = decimal(amount_fiat);
  const named = (value: string) => `${decimal(value).toFixed()} ${currency}`;
  const own = (value: string) => `${decimal(value).toFixed()} ${corridorName(currency, corridor_method)}`;
  const { min, max, float } = terms;
  const refuse = (why: string) => new DomainError('outside_terms', `${named(amount_fiat)} is ${why}`);
  if (amount.lt(min)) return refuse(`below your minimum of ${own(min)}`);
  if (max !== null && amount.gt(max)) return refuse(`above your maximum of ${own(max)}`);
  if (float !== null && amount.gt(float)) return refuse(`more than your float of ${own(float)}`);
  return undefined;
}
