import { z } from 'zod';
import { ownOrder } from '../../schemas/offers.ts';
import { orderFilters } from '../../schemas/order-filters.ts';
import { nextCursor, pageQuery } from '../../schemas/pages.ts';

/** `GET /api/lp/{lp_key}/orders`, query. */
export const ownOrdersQuery = pageQuery.extend({ status: orderFilters.status });

/** `GET /api/lp/{lp_key}/orders`. */
export const ownOrdersResponse = z.strictObject({ orders: z.array(ownOrder), next_cursor: nextCursor });
