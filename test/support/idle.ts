import { eventually } from './eventually.ts';

const isIdle = (settledAfter: string) => `
  select coalesce(greatest(
    (select max(created_at) from orders), (select max(created_at) from order_event),
    (select max(finished_at) from webhook_delivery)
  ) < now() - interval '${settledAfter}', true) as idle`;

/**
 * Resolves when no order has moved for `settledAfter`. The comparison of rows and workflows then includes all orders. It
 * skips orders that moved in the last ten seconds, unless the comparison uses another time.
 */
export const waitUntilIdle = (
  query: (text: string) => Promise<{ idle: boolean }[]>,
  settledAfter = '10 seconds',
): Promise<unknown> => eventually(async () => (await query(isIdle(settledAfter)))[0]?.idle);
