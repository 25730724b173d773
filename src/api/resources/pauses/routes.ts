import { findPauses } from '../../../db/pauses.ts';
import { DomainError } from '../../../domain/errors.ts';
import { requireKnownCurrency } from '../../../orders/known-currency.ts';
import { pausePayments, resumePayments } from '../../../orders/pauses.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { madePause, pauseList, pauseRequest } from './schemas.ts';
import { pauseView } from './view.ts';

/** Admins stop new payments and claims, and let them continue. */
export const pauseRoutes = ({ db, delivery }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/pauses',
    auth: 'admin',
    permission: 'pauses:manage',
    summary: 'Pause new payments and claims',
    description:
      'Calls for a covered payment or claim then get a 503 with the reason. Claimed orders continue.',
    answers: { 201: madePause },
    refuses: [],
    body: pauseRequest,
    handle: async ({ body: { currency = null, agent_key_id = null, reason } }) => {
      if (currency !== null) await requireKnownCurrency(db, delivery.corridors, currency);
      const pause = await pausePayments(db, { currency, agent_key_id }, reason);
      return { status: 201, body: { ...pauseView(pause), replaced_reason: pause.replaced_reason } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/pauses',
    auth: 'admin',
    summary: 'List the pauses in force, oldest first',
    answers: { 200: pauseList },
    refuses: [],
    handle: async () => ({ status: 200, body: { pauses: (await findPauses(db)).map(pauseView) } }),
  }),
  route({
    method: 'delete',
    path: '/api/admin/pauses/:id',
    auth: 'admin',
    permission: 'pauses:manage',
    summary: 'End a pause',
    description:
      'Payments and claims continue, unless another pause covers them. Auto-claim tries the open orders again.',
    answers: { 200: ok },
    refuses: ['not_found'],
    handle: async ({ params }) => {
      if (!(await resumePayments(db, idFrom(params.id)))) throw new DomainError('not_found');
      return { status: 200, body: { ok: true } };
    },
  }),
];
