import type { Order } from '../../db/entities/order.ts';
import { DomainError } from '../../domain/errors.ts';
import type { KnownAgent } from '../../http/access/find-caller.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth, RouteContract } from '../route-contract.ts';
import { idOrNull } from './validate.ts';

/** The path parameters that may hold the id of the order. */
const ORDER_PARAMETER = /:(orderId|order_id|id)(?=\/|$)/;

/** The path parameter that holds the id of the order that a route loads; null: the route loads no order. */
export function orderParameter({ loads, path }: Pick<RouteContract, 'loads' | 'path'>): string | null {
  if (loads !== 'order') return null;
  const [, name] = ORDER_PARAMETER.exec(path) ?? [];
  if (!name) throw new Error(`${path} loads an order, but has no parameter orderId, order_id or id`);
  return name;
}

/** The id that `authenticate` loads with the caller; null: the route loads no order, or the id is impossible. */
export function orderIdIn(route: Route, params: Record<string, string>): number | null {
  const name = orderParameter(route);
  return name === null ? null : idOrNull(params[name]);
}

/**
 * The order for the handler. Refuses with `not_found` if there is no such order, and for an agent also if the order
 * belongs to another agent. LPs, admins and anonymous callers receive any order; the handlers of LPs' routes check the
 * owner.
 */
export function requireOrder(
  { auth, loads }: Route,
  principal: Principals[Auth],
  order: Order | null,
): Order | undefined {
  if (loads !== 'order') return undefined;
  if (!order || (auth === 'agent' && order.agent_key_id !== (principal as KnownAgent).id))
    throw new DomainError('not_found');
  return order;
}
