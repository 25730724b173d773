import { expectStatus } from '../../dev/http-client.ts';
import type { OrderChange } from '../../src/feed/message-types.ts';
import { type Agent, newOrder, type TestLp } from './actors.ts';

/** A change in few words, to be compared. */
export const inWords = (change: { type: string; id?: number; reason?: string; order?: unknown }): string => {
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
 * Returns an LP's changes after a cursor, up to the change `last`: the feed keeps an event back while any
 * transaction that began before it is open, be it another test's.
 */
export async function changesUntil(lp: TestLp, from: string, last: string): Promise<OrderChange[]> {
  const changes: OrderChange[] = [];
  for (let cursor = from; ; ) {
    const path = `/api/lp/${lp.key}/orders/changes?cursor=${cursor}`;
    const page = await expectStatus(200, lp.call('GET', path));
    changes.push(...page.changes);
    if (changes.map(inWords).includes(last)) return changes;
    cursor = page.cursor;
  }
}

/** A place in the feed with everything before it that has happened by now: that of an order which is made for it. */
export async function placeNow(lp: TestLp, agent: Agent): Promise<string> {
  const { cursor } = await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/orders/changes`));
  const changes = await changesUntil(lp, cursor, `${await newOrder(agent)} open matched`);
  return changes.at(-1)?.cursor ?? cursor;
}
