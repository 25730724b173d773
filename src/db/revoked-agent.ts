/** SQL: whether the agent's key is not revoked. `order`: the order's row. */
export const agentIsActive = (order: string): string =>
  `exists (select from agent_key where agent_key.id = ${order}.agent_key_id and agent_key.is_active)`;

/** SQL: whether the agent can confirm and settle the order. An admin can prolong a key that has expired. */
export const agentKeyIsValid = (order: string): string =>
  `exists (
      select from agent_key where agent_key.id = ${order}.agent_key_id and agent_key.is_active
        and (agent_key.expires_at is null or agent_key.expires_at > now())
    )`;

/**
 * SQL: whether an order is under way although its agent key is revoked. Written like the predicate of `orders_live`, so
 * that PostgreSQL uses this index.
 */
export const isOfRevokedAgent = (order: string): string =>
  `(${order}.status not in ('completed', 'cancelled') and not ${agentIsActive(order)})`;
