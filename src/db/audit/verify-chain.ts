import type { Database } from '../orm.ts';

/** The newest event: its id, and its hash in hexadecimal. Noted elsewhere, it shows later whether events were cut off. */
export interface ChainHead {
  id: number;
  hash: string;
}

export interface ChainReport {
  /** How many events there are. */
  events: number;
  /** Null without events. */
  head: ChainHead | null;
  /** What is wrong, by the id of the first event that it concerns. Null: the chain holds. */
  broken: { id: number; problem: string } | null;
}

/** An event as the database checks it. `holds`: its hash fits it and the hash before it. */
type Link = {
  id: number;
  previous: number | null;
  holds: boolean;
};

/**
 * Each event's hash covers the event and the hash before it. A changed event does not fit its own hash. A removed event
 * leaves a gap in the ids, and an inserted event does not fit the hash before it.
 */
const BROKEN = `
  select id, previous, holds
  from (
    select e.id, lag(e.id) over chain as previous, e.hash = audit_hash(lag(e.hash) over chain, e) as holds
    from audit_event e window chain as (order by e.id)
  ) link
  where not holds or id <> coalesce(previous, 0) + 1
  order by id limit 1`;

const HEAD = `select id, encode(hash, 'hex') as hash from audit_event order by id desc limit 1`;
const AT = `select encode(hash, 'hex') as hash from audit_event where id = $1`;

/** Reads the whole audit, and reports the first event that was changed, removed or inserted. `noted`: an earlier head. */
export async function verifyChain(db: Database, noted?: ChainHead): Promise<ChainReport> {
  const [head = null] = await db.query<{ id: number; hash: string }>('audit-head', HEAD, []);
  const [broken] = await db.query<Link>('audit-verify', BROKEN, []);
  const report = { events: head?.id ?? 0, head };
  if (broken) return { ...report, broken: { id: broken.id, problem: problemOf(broken) } };
  if (!noted) return { ...report, broken: null };
  const [then] = await db.query<{ hash: string }>('audit-at', AT, [noted.id]);
  if (!then) return { ...report, broken: { id: noted.id, problem: 'was removed, with all events after it' } };
  return {
    ...report,
    broken: then.hash === noted.hash ? null : { id: noted.id, problem: 'is not the event that was noted' },
  };
}

function problemOf({ id, previous, holds }: Link): string {
  const missing = (previous ?? 0) + 1;
  if (id === missing + 1) return `event ${missing} was removed before it`;
  if (id > missing) return `events ${missing} to ${id - 1} were removed before it`;
  return holds ? 'has the id of another event' : 'was changed or inserted, or the event before it was';
}
