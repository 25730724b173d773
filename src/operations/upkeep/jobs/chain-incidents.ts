import type { Logger } from 'pino';
import type { Database } from '../../../db/orm.ts';
import { closeIncident } from '../../../orders/steps/close-incident.ts';

const REASON = 'The chain’s node does not answer';
const BY = 'service';

/**
 * The incident begins when the node stopped answering. A worker must have asked recently: after a stop of all workers, the old
 * silence proves nothing. If an admin has closed the chain's incident during the silence, the chain stays open. A closing that
 * did not end before the node was away again stops.
 */
const OPEN = `
  insert into incident (chain, reason, opened_at, opened_by)
  select contact.chain, '${REASON}', contact.silent_since, '${BY}' from chain_contact contact
  where contact.silent_since < now() - $1 * interval '1 millisecond' and contact.asked_at > now() - interval '1 minute'
    and not exists (
      select from incident ended
      where ended.chain = contact.chain and ended.closed_at >= contact.silent_since and ended.closed_by <> '${BY}'
    )
  on conflict (coalesce(currency, ''), coalesce(method, ''), coalesce(chain, '')) where closed_at is null
  do update set closing_at = null where incident.opened_by = '${BY}' and incident.closing_at is not null
  returning chain`;

const OVER = `
  select incident.id, incident.chain from incident join chain_contact contact on contact.chain = incident.chain
  where incident.closed_at is null and incident.opened_by = '${BY}'
    and contact.silent_since is null and contact.asked_at > incident.opened_at
  order by incident.id`;

/**
 * Opens an incident of each chain whose node has been away for longer than `outageThreshold` (ms), and closes those that it has
 * opened once the node answers. What the workers have seen is in the database, so a restart changes nothing.
 */
export async function keepChainIncidents(
  { db, log }: { db: Database; log: Logger },
  outageThreshold: number,
): Promise<void> {
  // A chain whose incident cannot be closed must not delay that of another.
  const opened = await db.query<{ chain: string }>('chain-incidents-open', OPEN, [outageThreshold]);
  for (const { chain } of opened) log.error({ chain }, 'the node of a chain is away: opened an incident');
  const over = await db.query<{ id: number; chain: string }>('chain-incidents-over', OVER, []);
  const failures: unknown[] = [];
  for (const { id, chain } of over) {
    const closed = await closeIncident(db, id, BY, { openedBy: BY }).catch((error: unknown) => {
      failures.push(error);
    });
    if (closed) log.warn({ chain, moved: closed.moved }, 'the node of a chain answers: closed its incident');
  }
  if (failures.length > 0)
    throw new AggregateError(failures, `${failures.length} of ${over.length} incidents could not be closed`);
}
