import type { Incident } from '../../../db/entities/incident.ts';
import { scopeOf } from '../../../db/incidents.ts';
import type { IncidentView } from './schemas.ts';

/** An incident as agents and LPs read it. */
export const shownView = (incident: Incident) => ({
  ...scopeOf(incident),
  reason: incident.reason,
  opened_at: new Date(incident.opened_at).toISOString(),
});

export const incidentView = (incident: Incident): IncidentView => ({
  id: incident.id,
  ...shownView(incident),
  opened_by: incident.opened_by,
  closing_at: incident.closing_at ? new Date(incident.closing_at).toISOString() : null,
  closed_at: incident.closed_at ? new Date(incident.closed_at).toISOString() : null,
  closed_by: incident.closed_by ?? null,
});
