import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../support/random.ts';
import type { Caller, Saw, SawLog } from './caller.ts';
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

/** When an order made its last move, in milliseconds of the epoch: of itself, or of a webhook. */
const LAST_MOVES = `
  select o.id::int, (extract(epoch from greatest(
      (select max(e.created_at) from order_event e where e.order_id = o.id),
      (select max(d.finished_at) from webhook_delivery d where d.order_id = o.id)
    )) * 1000)::float8 as at
  from orders o`;

export interface RestOptions {
  /** What the orders' own callers saw. */
  log: SawLog;
  /** When the last fault was over. */
  mendedAt: number;
  restWithinMs: number;
}

/**
 * With all well, every order ends by itself, but for those that an admin has to end, who comes when all callers have
 * done their part. Gives those that had not ended within so many milliseconds after everything was mended; after its
 * callers' last step where that was later, and for the admin's after the admin came.
 */
export async function untilAtRest(
  { query }: Installation,
  call: Caller,
  random: Random,
  { log, mendedAt, restWithinMs }: RestOptions,
): Promise<string[]> {
  const adminCameAt = Date.now();
  const lastSteps = lastStepsOf(log);
  const giveUpAt = adminCameAt + restWithinMs;
  const asked = new Map<number, Promise<unknown>>();
  const askedFor = new Set<number>();
  for (;;) {
    const restless = await query<Restless>(RESTLESS);
    if (restless.length === 0) {
      await Promise.all(asked.values());
      const moves = await query<{ id: number; at: number }>(LAST_MOVES);
      return lateOrders(moves, { mendedAt, lastSteps, adminCameAt, askedFor, restWithinMs });
    }
    if (Date.now() > giveUpAt)
      return restless.map(({ id, status, webhooks }) => `order ${id}: ${status}, owes ${webhooks} webhooks`);
    for (const { id, status, frozen } of restless) {
      if (asked.has(id)) continue;
      const [verb, body] = frozen
        ? (['unfreeze', {}] as const)
        : (['resolve', { outcome: 'cancelled', slash_usd: 0 }] as const);
      if (!frozen && status !== 'disputed') continue;
      askedFor.add(id);
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

export interface Clocks {
  mendedAt: number;
  /** The end of the last call for each order. */
  lastSteps: ReadonlyMap<number, number>;
  /** When the admin came, who ends what waits for nobody else, and for which orders. */
  adminCameAt: number;
  askedFor: ReadonlySet<number>;
  restWithinMs: number;
}

/** Those that did come to their end, perhaps while the last lifecycles went on, but too late. All times in milliseconds. */
export function lateOrders(
  moves: { id: number; at: number }[],
  { mendedAt, lastSteps, adminCameAt, askedFor, restWithinMs }: Clocks,
): string[] {
  return moves.flatMap(({ id, at }) => {
    const since = askedFor.has(id) ? adminCameAt : Math.max(mendedAt, lastSteps.get(id) ?? 0);
    const tookMs = at - since;
    return tookMs > restWithinMs ? [`order ${id}: at rest only after ${Math.round(tookMs / 1_000)} s`] : [];
  });
}

const isAnswer = ({ status }: Saw): boolean => status !== null && status !== 503;

/** Calls that nobody answered though everything had been well for so long: no fault excuses them. */
export function unanswered(
  log: SawLog,
  { mendedAt, restWithinMs }: Pick<Clocks, 'mendedAt' | 'restWithinMs'>,
): string[] {
  return [...Map.groupBy(log, ({ call }) => call)].flatMap(([call, attempts]) => {
    const last = attempts.at(-1);
    if (!last || attempts.some(isAnswer)) return [];
    const wellForMs = last.endedAt.getTime() - mendedAt;
    if (wellForMs <= restWithinMs) return [];
    return [
      `call ${call}, ${last.trigger} of order ${last.orderId ?? '-'}: no answer after ${Math.round(wellForMs / 1_000)} s`,
    ];
  });
}

/** The end of the last call for each order, in milliseconds of the epoch. */
export function lastStepsOf(log: SawLog): Map<number, number> {
  const last = new Map<number, number>();
  for (const { trigger, orderId, body, endedAt } of log) {
    const id = trigger === 'pay' ? body?.order_id : orderId;
    if (typeof id === 'number') last.set(id, Math.max(last.get(id) ?? 0, endedAt.getTime()));
  }
  return last;
}
