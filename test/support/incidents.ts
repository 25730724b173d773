import { type Call, expectStatus } from '../../dev/http-client.ts';

const PATH = '/api/admin/incidents';
export const INCIDENT_REASON = 'The mobile-money network is down';

export const openIncident = async (admin: Call, scope: object): Promise<number> =>
  (await expectStatus(201, admin('POST', PATH, { ...scope, reason: INCIDENT_REASON }))).id;
export const closeIncident = (admin: Call, id: number) => admin('POST', `${PATH}/${id}/close`, {});
export const incidentsIn = async (admin: Call) => (await expectStatus(200, admin('GET', PATH))).incidents;

/** Closes all that are open. */
export async function closeIncidents(admin: Call): Promise<void> {
  for (const { id, closed_at } of await incidentsIn(admin))
    if (closed_at === null) await expectStatus(200, closeIncident(admin, id));
}
