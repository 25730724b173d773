import { expectStatus } from '../../dev/http-client.ts';
import type { OrderChange } from '../../src/notify/feed/message-types.ts';
import { type Agent, newOrder, type TestLp } from './actors.ts';

/** A short description of a change, for comparisons. */
export const describeChange = (change: {
  type: string;
  id?: number;
  reason?: string;
  order?: unknown;
}): string => {
  const { id, status } = {
    id: change.id,
    status: change.reason,
    ...(change.order as object | undefined),
  } as {
    id: number;
    status: string;
  };
  return `${id} ${change.type.slice('order.'.length)} ${status}`;
};

/**
 * Returns an LP's changes after a cursor, up to the change `last`. It polls, because the feed holds an event back while any
 * transaction that began before it is open, even one of another test.
 */
export async function changesUntil(lp: TestLp, from: string, last: string): Promise<OrderChange[]> {
  const changes: OrderChange[] = [];
  for (let cursor = from; ; ) {
    const path = `/api/lp/${lp.key}/orders/changes?cursor=${cursor}`;
    const page = await expectStatus(200, lp.call('GET', path));
    changes.push(...page.changes);
    if (changes.map(describeChange).includes(last)) return changes;
    cursor = page.cursor;
  }
}

/** Returns a cursor after all events until now. It creates an order, and returns the cursor of that order's event. */
export async function currentCursor(lp: TestLp, agent: Agent): Promise<string> {
  const { cursor } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/orders/changes`));
  const changes = await changesUntil(lp, cursor, `${await newOrder(agent)} open matched`);
  return changes.at(-1)?.cursor ?? cursor;
}
