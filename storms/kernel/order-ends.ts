import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { CallAttempt, Caller, CallLog } from './caller.ts';
import { ADMIN_KEY, type Service } from './service.ts';

interface UnfinishedOrder {
  id: number;
  status: string;
  webhooks: number;
  frozen: boolean;
}

const UNFINISHED = `
  select o.id::int, o.status, o.frozen_ms is not null as frozen,
    (select count(*)::int from webhook_delivery d where d.order_id = o.id and d.state = 'pending') as webhooks
  from orders o
  where o.status not in ('completed', 'cancelled')
    or exists (select from webhook_delivery d where d.order_id = o.id and d.state = 'pending')
  order by o.id`;

/** The time of the last event or webhook of each order, in milliseconds of the epoch. */
const LAST_CHANGES = `
  select o.id::int, (extract(epoch from greatest(
      (select max(e.created_at) from order_event e where e.order_id = o.id),
      (select max(d.finished_at) from webhook_delivery d where d.order_id = o.id)
    )) * 1000)::float8 as at
  from orders o`;

export interface OrderEndOptions {
  /** The calls of the orders' parties. */
  log: CallLog;
  /** When the last fault had ended. */
  faultsEndedAt: number;
  endWithinMs: number;
}

/**
 * Waits until every order has ended and has no pending webhook. Without faults every order ends by itself, except those
 * that need an admin. The admin acts after all callers are done. Returns the orders that did not end within
 * `endWithinMs`. The time starts when the faults end, or at the last call for the order if that is later; for an order
 * that needs an admin, it starts when the admin begins.
 */
export async function waitForOrderEnds(
  { query }: Service,
  call: Caller,
  random: Random,
  { log, faultsEndedAt, endWithinMs }: OrderEndOptions,
): Promise<string[]> {
  const adminStartedAt = Date.now();
  const lastCalls = lastCallsOf(log);
  const giveUpAt = adminStartedAt + endWithinMs;
  const running = new Map<number, Promise<unknown>>();
  const endedByAdmin = new Set<number>();
  for (;;) {
    const unfinished = await query<UnfinishedOrder>(UNFINISHED);
    if (unfinished.length === 0) {
      await Promise.all(running.values());
      const changes = await query<{ id: number; at: number }>(LAST_CHANGES);
      return lateOrders(changes, { faultsEndedAt, lastCalls, adminStartedAt, endedByAdmin, endWithinMs });
    }
    if (Date.now() > giveUpAt)
      return unfinished.map(
        ({ id, status, webhooks }) => `order ${id}: ${status}, ${webhooks} pending webhooks`,
      );
    for (const { id, status, frozen } of unfinished) {
      if (running.has(id)) continue;
      const [verb, body] = frozen
        ? (['unfreeze', {}] as const)
        : (['resolve', { outcome: 'cancelled', slash_usd: 0 }] as const);
      if (!frozen && status !== 'disputed') continue;
      endedByAdmin.add(id);
      const command = call(
        {
          ...{ trigger: verb, actor: 'admin:root', key: ADMIN_KEY, orderId: id },
          ...{ path: `/api/admin/orders/${id}/${verb}`, body: { reason: 'The run ends', ...body } },
          ...(frozen ? {} : { detail: 'cancelled' }),
        },
        random,
      ).finally(() => running.delete(id));
      running.set(id, command);
    }
    await delay(500);
  }
}

/** Times in milliseconds of the epoch. */
export interface Clocks {
  faultsEndedAt: number;
  /** The end of the last call for each order. */
  lastCalls: ReadonlyMap<number, number>;
  /** When the admin started to end the orders that need one, and which these are. */
  adminStartedAt: number;
  endedByAdmin: ReadonlySet<number>;
  endWithinMs: number;
}

/** Returns the orders that have ended too late. */
export function lateOrders(
  changes: { id: number; at: number }[],
  { faultsEndedAt, lastCalls, adminStartedAt, endedByAdmin, endWithinMs }: Clocks,
): string[] {
  return changes.flatMap(({ id, at }) => {
    const since = endedByAdmin.has(id) ? adminStartedAt : Math.max(faultsEndedAt, lastCalls.get(id) ?? 0);
    const tookMs = at - since;
    return tookMs > endWithinMs ? [`order ${id}: ended only after ${Math.round(tookMs / 1_000)} s`] : [];
  });
}

const isResponse = ({ status }: CallAttempt): boolean => status !== null && status !== 503;

/** Returns the calls without a response although the faults had ended long before. */
export function unanswered(
  log: CallLog,
  { faultsEndedAt, endWithinMs }: Pick<Clocks, 'faultsEndedAt' | 'endWithinMs'>,
): string[] {
  return [...Map.groupBy(log, ({ call }) => call)].flatMap(([call, attempts]) => {
    const last = attempts.at(-1);
    if (!last || attempts.some(isResponse)) return [];
    const waitedMs = last.endedAt.getTime() - faultsEndedAt;
    if (waitedMs <= endWithinMs) return [];
    return [
      `call ${call}, ${last.trigger} of order ${last.orderId ?? '-'}: no response after ${Math.round(waitedMs / 1_000)} s`,
    ];
  });
}

/** The end of the last call for each order, in milliseconds of the epoch. */
export function lastCallsOf(log: CallLog): Map<number, number> {
  const last = new Map<number, number>();
  for (const { trigger, orderId, body, endedAt } of log) {
    const id = trigger === 'pay' ? body?.order_id : orderId;
    if (typeof id === 'number') last.set(id, Math.max(last.get(id) ?? 0, endedAt.getTime()));
  }
  return last;
}
