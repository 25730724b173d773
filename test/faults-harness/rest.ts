import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Caller } from './caller.ts';
import { ADMIN_KEY, type Installation } from './installation.ts';

interface Restless {
  id: number;
  status: string;
  webhooks: number;
  frozen: boolean;
}

const RESTLESS = `
  select o.id::int, o.status, o.frozen_ms is not null as frozen,
    (select count(*)::int from webhook_delivery d where d.order_id = o.id and d.state = 'pending') as webhooks
  from orders o
  where o.status not in ('completed', 'cancelled')
    or exists (select from webhook_delivery d where d.order_id = o.id and d.state = 'pending')
  order by o.id`;

/**
 * With all well, every order ends by itself, but for those that an admin has to end. Gives those that did not within
 * so many milliseconds.
 */
export async function untilAtRest(
  { query }: Installation,
  call: Caller,
  random: Random,
  restWithinMs: number,
): Promise<string[]> {
  const giveUpAt = Date.now() + restWithinMs;
  const asked = new Map<number, Promise<unknown>>();
  for (;;) {
    const restless = await query<Restless>(RESTLESS);
    if (restless.length === 0) {
      await Promise.all(asked.values());
      return [];
    }
    if (Date.now() > giveUpAt)
      return restless.map(({ id, status, webhooks }) => `order ${id}: ${status}, owes ${webhooks} webhooks`);
    for (const { id, status, frozen } of restless) {
      if (asked.has(id)) continue;
      const [verb, body] = frozen
        ? (['unfreeze', {}] as const)
        : (['resolve', { outcome: 'cancelled', slash_usd: 0 }] as const);
      if (!frozen && status !== 'disputed') continue;
      const asking = call(
        {
          ...{ trigger: verb, actor: 'admin', key: ADMIN_KEY, orderId: id },
          ...{ path: `/api/admin/orders/${id}/${verb}`, body: { reason: 'It has to end', ...body } },
          ...(frozen ? {} : { detail: 'cancelled' }),
        },
        random,
      ).finally(() => asked.delete(id));
      asked.set(id, asking);
    }
    await delay(500);
  }
}
