import { findIncidents } from '../../../db/incidents.ts';
import { DomainError } from '../../../domain/errors.ts';
import { adminActor } from '../../../http/access/find-admin.ts';
import { openIncident } from '../../../orders/incidents.ts';
import { requireKnownChain, requireKnownMethod } from '../../../orders/known-currency.ts';
import { closeIncident } from '../../../orders/steps/close-incident.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { closedIncidentResponse, incidentList, incidentRequest, incidentResponse } from './schemas.ts';
import { incidentView } from './view.ts';

/** Admins say that a currency, a method or a chain is out of order, and that it works again. */
export const incidentRoutes = ({ db, chains, delivery }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/incidents',
    auth: 'admin',
    permission: 'pauses:manage',
    summary: 'Open an incident of a currency, a method or a chain',
    description:
      'New payments and claims there get a 503, as in a pause. The clocks of the waiting orders stand still.',
    answers: { 201: incidentResponse },
    refuses: [],
    body: incidentRequest,
    handle: async ({ principal, body: { currency = null, method = null, chain = null, reason } }) => {
      if (currency !== null) await requireKnownMethod(db, delivery.corridors, currency, method);
      if (chain !== null) await requireKnownChain(db, chains, chain);
      const scope = { currency, method, chain };
      const incident = await openIncident(db, scope, reason, adminActor(principal));
      return { status: 201, body: incidentView(incident) };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/incidents',
    auth: 'admin',
    summary: 'List the open incidents, and those that were closed last',
    answers: { 200: incidentList },
    refuses: [],
    handle: async () => ({ status: 200, body: { incidents: (await findIncidents(db)).map(incidentView) } }),
  }),
  route({
    method: 'post',
    path: '/api/admin/incidents/:id/close',
    auth: 'admin',
    permission: 'pauses:manage',
    summary: 'Close an incident',
    description:
      'Moves the deadline of each order whose clock stood still by the time lost. Payments and claims continue.',
    answers: { 200: closedIncidentResponse },
    refuses: ['not_found'],
    handle: async ({ principal, params }) => {
      const closed = await closeIncident(db, idFrom(params.id), adminActor(principal));
      if (!closed) throw new DomainError('not_found', 'There is no open incident with this id');
      return { status: 200, body: { ...incidentView(closed), moved: closed.moved } };
    },
  }),
];
