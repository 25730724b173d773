import { eventually } from './eventually.ts';

const still = (settledAfter: string) => `
  select coalesce(greatest(
    (select max(created_at) from orders), (select max(created_at) from order_event),
    (select max(finished_at) from webhook_delivery)
  ) < now() - interval '${settledAfter}', true) as still`;

/**
 * Resolves when no order has moved for so long that the comparison of rows and workflows includes all of them: ten seconds,
 * unless the comparison uses another time.
 */
export const untilStill = (
  query: (text: string) => Promise<{ still: boolean }[]>,
  settledAfter = '10 seconds',
): Promise<unknown> => eventually(async () => (await query(still(settledAfter)))[0]?.still);
