import type { Auth } from '../contract/route-contract.ts';
import type { Order } from '../db/entities/order.ts';
import type { KnownAgent } from '../db/queries/callers.ts';
import { DomainError } from '../domain/errors.ts';
import type { Principals, Route } from './route.ts';
import { idOrNull } from './validate.ts';

/** The parameters by which a path names an order, see `OrderOf`. */
const NAMES = /:(orderId|order_id)(?=\/|$)/;

/** The id of the order that a path names; null where it names none, or one that cannot exist. */
export function namedOrderId(path: string, params: Record<string, string>): number | null {
  const [, name] = NAMES.exec(path) ?? [];
  return name === undefined ? null : idOrNull(params[name]);
}

/** The order for a route whose path names one: an agent's own on its routes, where others are not there, else anybody's. */
export function namedOrder(
  { auth, path }: Route,
  principal: Principals[Auth],
  order: Order | null,
): Order | undefined {
  if (!NAMES.test(path)) return undefined;
  if (!order || (auth === 'agent' && order.agent_key_id !== (principal as KnownAgent).id))
    throw new DomainError('not_found');
  return order;
}
