import { ORDER_STATUSES } from '../../domain/order-state.ts';
import { currency, describeField, instant, listValues } from './request-fields.ts';
import { orderStatus } from './response-fields.ts';

/** The filters of every list of orders. A missing filter selects all orders. */
export const orderFilters = {
  status: orderStatus
    .optional()
    .describe(`Only orders with this status. ${listValues(ORDER_STATUSES)} Default: all statuses.`),
  currency: describeField(
    currency,
    'Only orders with this fiat currency. Default: all currencies.',
  ).optional(),
  created_from: describeField(instant, 'Only orders created at this time or later.').optional(),
  created_to: describeField(instant, 'Only orders created before this time.').optional(),
};
