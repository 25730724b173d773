import { SHOWN_ONCE } from '../../../http/access/keys.ts';
import { readLpWebhook, removeLpWebhook, setLpWebhook } from '../../../notify/lp-webhooks/configure.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { ok } from '../../schemas/response-fields.ts';
import { lpWebhookRequest, lpWebhookState, type NewLpWebhook, newLpWebhook } from './schemas.ts';
import { lpWebhookView } from './view.ts';

/** LPs choose whether and where they receive webhooks. */
export const lpWebhookRoutes = ({ db, settings, secrets }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/lp/:lp_key/webhook',
    auth: 'lp',
    summary: 'Turn the LP’s webhooks on, or change them',
    description:
      'Corridor posts the order feed and warnings to the URL. Each call makes a new secret; the previous one signs during the overlap.',
    answers: { 201: newLpWebhook },
    refuses: [],
    inTurn: true,
    keyLimit: { name: 'lp-account', max: settings.limits.account },
    body: lpWebhookRequest({ allowHttp: settings.webhookAllowPrivate }),
    handle: async ({ principal: lp, body }) => {
      const secret = await setLpWebhook(db, lp.id, body, {
        serviceSecret: secrets.webhookSecret,
        holdMs: settings.addressHold,
      });
      const set: NewLpWebhook = {
        url: body.url,
        events: [...new Set(body.events)],
        secret,
        warning: SHOWN_ONCE,
      };
      return { status: 201, body: set };
    },
  }),
  route({
    method: 'get',
    path: '/api/lp/:lp_key/webhook',
    auth: 'lp',
    summary: 'Read the URL of the LP’s webhooks, and whether they arrive',
    answers: { 200: lpWebhookState },
    refuses: [],
    handle: async ({ principal: lp }) => ({
      status: 200,
      body: lpWebhookView(await readLpWebhook(db, lp.id)),
    }),
  }),
  route({
    method: 'delete',
    path: '/api/lp/:lp_key/webhook',
    auth: 'lp',
    summary: 'Turn the LP’s webhooks off',
    description:
      'Drops the webhooks that wait for their delivery. The removed webhook receives warnings of a stolen key, as after a change.',
    answers: { 200: ok },
    refuses: [],
    inTurn: true,
    keyLimit: { name: 'lp-account', max: settings.limits.account },
    handle: async ({ principal: lp }) => {
      await removeLpWebhook(db, lp.id, settings.addressHold);
      return { status: 200, body: { ok: true } };
    },
  }),
];
