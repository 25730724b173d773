import type { Incident } from '../db/entities/incident.ts';
import type { Database } from '../db/orm.ts';
import { untilPaused } from '../db/pauses.ts';
import { DomainError } from '../domain/errors.ts';
import type { IncidentScope } from '../domain/incident.ts';

const OPEN = `
  insert into incident (currency, method, chain, reason, opened_by) values ($1, $2, $3, $4, $5)
  on conflict (coalesce(currency, ''), coalesce(method, ''), coalesce(chain, '')) where closed_at is null
  do update set reason = excluded.reason, opened_by = excluded.opened_by, closing_at = null
  returning *`;

/**
 * Opens an incident for an admin: `admin:3`. After it resolves, no covered payment or claim can commit, and the clocks of the
 * covered orders stand still. If the scope has an open incident, it stays open with the new reason, and is the admin's: Corridor
 * no longer closes it by itself. A closing that is under way stops. Throws `unavailable` if a statement that began earlier
 * does not end: then the incident is open for all others.
 */
export async function openIncident(
  db: Database,
  { currency, method, chain }: IncidentScope,
  reason: string,
  openedBy: string,
): Promise<Incident> {
  const [incident] = await db.query<Incident & Record<string, unknown>>('incident-open', OPEN, [
    ...[currency, method, chain, reason, openedBy],
  ]);
  if (!incident) throw new Error('An incident was written and not returned');
  if (await untilPaused(db)) return incident;
  throw new DomainError(
    'unavailable',
    'The incident is open, but a payment or a claim that began before it has not ended. Repeat the same call to wait for it.',
    { retryAfter: 2 },
  );
}
