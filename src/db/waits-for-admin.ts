/** SQL: whether an order can only be moved by an admin. Spelled as the predicate of `orders_live`. */
export const waitsForAdmin = (order: string): string =>
  `(${order}.status not in ('completed', 'cancelled') and (${order}.status = 'disputed' or ${order}.frozen_ms is not null))`;
