import type { Database } from '../../db/orm.ts';
import { FEED_START, type FeedPosition, isAfter } from '../../domain/feed-cursor.ts';
import type { OrderWebhookEvent } from '../../domain/lp-webhook.ts';
import { lpMarkets } from '../../market/lps/market.ts';
import { crashPoint } from '../../process/crash-point.ts';
import { changesFor } from '../feed/messages.ts';
import { type FeedEvent, readFeed } from '../feed/reader.ts';
import type { ActiveWebhook } from './active.ts';

const READER = 'lp-webhooks';
const PAGE = 500;

/** A webhook to write: its LP, and the event that it reports. */
interface Draft {
  lpId: number;
  event: OrderWebhookEvent;
  orderId: number;
  seq: number;
}

/**
 * When to read again. `now`: more events are ready. `soon`: open transactions hold events back. `later`: no more events
 * are known.
 */
export type ReadAgain = 'now' | 'soon' | 'later';

const POSITION = 'select xid::text, order_id as "orderId", seq from feed_cursor where reader = $1';

const STRIKES = `
  select strike.lp_id as "lpId", strike.order_id as "orderId", strike.seq
  from unnest($1::bigint[], $2::int[]) as event (order_id, seq)
  join lp_strike strike using (order_id, seq)`;

/**
 * Writes the webhooks and moves the reader, in one statement: no event is lost or reported twice, even if several
 * processes read or one dies. Writes nothing if another process has moved the reader.
 */
const WRITE = `
  with moved as (
    insert into feed_cursor as known (reader, xid, order_id, seq) values ($1, $2::xid8, $3, $4)
    on conflict (reader) do update set xid = excluded.xid, order_id = excluded.order_id, seq = excluded.seq
    where (known.xid, known.order_id, known.seq) = ($5::xid8, $6::bigint, $7::int)
    returning reader
  )
  insert into webhook_delivery (lp_id, lp_event, order_id, seq)
  select draft.lp_id, draft.event, draft.order_id, draft.seq
  from moved, unnest($8::bigint[], $9::varchar[], $10::bigint[], $11::int[])
    with ordinality as draft (lp_id, event, order_id, seq, place)
  where exists (select from lp_webhook hook where hook.lp_id = draft.lp_id and hook.stopped_at is null)
  order by draft.place`;

/**
 * Reads the next page of the order feed and writes a webhook for each change that an LP's feed shows, and for each strike.
 * `readHooks` reads the webhooks again after the page: an LP that turns them on meanwhile gets what comes after that.
 */
export async function queueNewEvents(
  db: Database,
  hooks: ActiveWebhook[],
  readHooks: () => Promise<ActiveWebhook[]>,
): Promise<ReadAgain> {
  const [known = FEED_START] = await db.query<FeedPosition & Record<string, unknown>>(
    'lp-webhooks-position',
    POSITION,
    [READER],
  );
  const first = hooks.map(startOf).reduce((a, b) => (isAfter(a, b) ? b : a));
  // While no LP had webhooks on, no process moved the reader.
  const { events, next, more } = await readFeed(db, isAfter(first, known) ? first : known, PAGE);
  if (events.length === 0) return more ? 'soon' : 'later';
  const drafts = await draftsOf(db, events, await readHooks());
  crashPoint('lpwebhooks.read');
  await db.query('lp-webhooks-write', WRITE, [
    ...[READER, next.xid, next.orderId, next.seq],
    ...[known.xid, known.orderId, known.seq],
    drafts.map(({ lpId }) => lpId),
    drafts.map(({ event }) => event),
    drafts.map(({ orderId }) => orderId),
    drafts.map(({ seq }) => seq),
  ]);
  if (drafts.length > 0) crashPoint('lpwebhooks.queued');
  return events.length === PAGE ? 'now' : more ? 'soon' : 'later';
}

const startOf = ({ since }: ActiveWebhook): FeedPosition => ({ xid: since, orderId: 0, seq: 0 });

async function draftsOf(db: Database, events: FeedEvent[], hooks: ActiveWebhook[]): Promise<Draft[]> {
  const keys = [events.map(({ orderId }) => orderId), events.map(({ seq }) => seq)];
  const [markets, strikes] = await Promise.all([
    lpMarkets(
      db,
      hooks.map(({ lpId }) => lpId),
      [...new Set(events.map(({ snapshot }) => snapshot.currency))],
    ),
    db.query<Pick<Draft, 'lpId' | 'orderId' | 'seq'>>('lp-webhooks-strikes', STRIKES, keys),
  ]);
  const marketOf = new Map(markets.map((market) => [market.lpId, market]));
  return hooks.flatMap((hook) => {
    const market = marketOf.get(hook.lpId);
    if (!market) return [];
    return events
      .filter((event) => isAfter(event, startOf(hook)))
      .flatMap((event) => {
        const { orderId, seq } = event;
        const isStruck = strikes.some(
          (strike) => strike.lpId === hook.lpId && strike.orderId === orderId && strike.seq === seq,
        );
        const changes = changesFor(event, { market, currencies: [] }, FEED_START).map(({ type }) => type);
        const reported: OrderWebhookEvent[] = isStruck ? [...changes, 'lp.strike'] : changes;
        return reported
          .filter((name) => hook.events.includes(name))
          .map((name) => ({ lpId: hook.lpId, event: name, orderId, seq }));
      });
  });
}
