import { eventually } from './eventually.ts';

/** The compare of rows and workflows leaves alone what has moved within this time. */
const STILL = `
  select coalesce(greatest(
    (select max(created_at) from orders), (select max(created_at) from order_event),
    (select max(finished_at) from webhook_delivery)
  ) < now() - interval '10 seconds', true) as still`;

/** Resolves when nothing has moved for so long that no order is left out of the compare any more. */
export const untilStill = (query: (text: string) => Promise<{ still: boolean }[]>): Promise<unknown> =>
  eventually(async () => (await query(STILL))[0]?.still);
