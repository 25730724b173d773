/** SQL: whether the agent can still act on its order. `order`: the order's row. */
export const agentIsActive = (order: string): string =>
  `exists (select from agent_key where agent_key.id = ${order}.agent_key_id and agent_key.is_active)`;

/**
 * SQL: whether an order is under way although its agent key is revoked. Written like the predicate of `orders_live`, so
 * that PostgreSQL uses this index.
 */
export const isOfRevokedAgent = (order: string): string =>
  `(${order}.status not in ('completed', 'cancelled') and not ${agentIsActive(order)})`;
