import type { Database } from '../../db/orm.ts';
import { FEED_START } from '../../domain/feed-cursor.ts';
import type { OrderWebhookEvent } from '../../domain/lp-webhook.ts';
import { lpMarket } from '../../market/lps/market.ts';
import { changesFor } from '../feed/messages.ts';
import { readEvent } from '../feed/reader.ts';

/** The event of an order that a webhook of an LP reports. */
export interface ReportedEvent {
  lpId: number;
  event: OrderWebhookEvent;
  orderId: number;
  seq: number;
}

const STRIKE = `
  select created_at from lp_strike where order_id = $1 and seq = $2 and lp_id = $3 and forgiveness_id is null`;
const EVENT_TIME = 'select created_at from order_event where order_id = $1 and seq = $2';

/**
 * The body of an LP's webhook, made just before its first attempt. It contains exactly what the LP's feed would show of
 * the event now. So an LP that was suspended meanwhile, or no longer owns the order, learns no more than on its socket.
 * Undefined: the feed would show nothing.
 */
export async function lpWebhookBody(db: Database, reported: ReportedEvent): Promise<string | undefined> {
  const reports = reported.event === 'lp.strike' ? await strike(db, reported) : await change(db, reported);
  if (!reports) return undefined;
  const [event] = await db.query<{ created_at: string }>('lp-webhook-time', EVENT_TIME, [
    reported.orderId,
    reported.seq,
  ]);
  if (!event) return undefined;
  return JSON.stringify({
    type: reported.event,
    timestamp: new Date(event.created_at).toISOString(),
    ...reports,
  });
}

async function strike(db: Database, { lpId, orderId, seq }: ReportedEvent) {
  const [struck] = await db.query('lp-webhook-strike', STRIKE, [orderId, seq, lpId]);
  return struck && { data: { order_id: orderId } };
}

async function change(db: Database, { lpId, event: name, orderId, seq }: ReportedEvent) {
  const [event, market] = await Promise.all([readEvent(db, orderId, seq), lpMarket(db, lpId)]);
  const found =
    event && changesFor(event, { market, currencies: [] }, FEED_START).find(({ type }) => type === name);
  if (!found) return undefined;
  if (found.type !== 'order.updated') {
    const { type: _, ...data } = found;
    return { data };
  }
  // Beside the data, as in the webhooks of agents.
  const { type: _, status_reason_code, ...data } = found;
  return { status_reason_code, data };
}
