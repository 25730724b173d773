import { z } from 'zod';
import { withReason } from '../../../db/audit-context.ts';
import { AgentKey } from '../../../db/entities/agent-key.ts';
import { DomainError } from '../../../domain/errors.ts';
import { hashKey, newAgentKey, SHOWN_BOTH_ONCE, SHOWN_ONCE } from '../../../http/access/keys.ts';
import { rotateAgentKey } from '../../../http/access/rotate-agent-key.ts';
import { offerOrdersAgain } from '../../../market/lps/auto-claim-offers.ts';
import { insertAgentWebhookSecret, rotateAgentWebhookSecret } from '../../../notify/webhooks/agent-secret.ts';
import { crashPoint } from '../../../process/crash-point.ts';
import type { ApiDeps } from '../../deps.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { auditReason } from '../../schemas/audit-reason.ts';
import { ok } from '../../schemas/response-fields.ts';
import {
  agentKeyRequest,
  agentKeyResponse,
  agentKeyUpdate,
  type ListedAgentKey,
  listedAgentKey,
  rotatedWebhookSecret,
  rotateRequest,
  rotateResponse,
  webhookSecretRotation,
} from './schemas.ts';

/** Admins issue, limit, rotate and deactivate agent keys. Contract: "Admin routes". */
export const agentKeyRoutes = ({ db, settings, secrets }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/agent-keys',
    auth: 'admin',
    permission: 'keys:manage',
    summary: 'Issue an agent key',
    answers: { 201: agentKeyResponse },
    refuses: [],
    body: agentKeyRequest,
    handle: async ({ body }) => {
      const api_key = newAgentKey();
      const {
        name = null,
        integrator_name = null,
        scopes = null,
        expires_at = null,
        allowed_ips = null,
      } = body;
      const { max_exposure_usd = String(settings.defaultMaxExposureUsd) } = body;
      const limits = { max_exposure_usd, scopes, expires_at, allowed_ips };
      const key = { name, integrator_name, ...limits, key_hash: hashKey(api_key) };
      const made = await db.em().transactional(async (em) => {
        const id = Number(await em.insert(AgentKey, key));
        return { id, api_key, webhook_secret: await insertAgentWebhookSecret(em, id, secrets) };
      });
      crashPoint('issue.committed');
      return { status: 201, body: { ...made, warning: SHOWN_BOTH_ONCE } };
    },
  }),
  route({
    method: 'get',
    path: '/api/admin/agent-keys',
    auth: 'admin',
    summary: 'List the agent keys, newest first',
    answers: { 200: z.array(listedAgentKey) },
    refuses: [],
    handle: async () => {
      const keys = await db.em().find(AgentKey, {}, { orderBy: { id: 'desc' } });
      return { status: 200, body: keys.map(agentKeyView) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/agent-keys/:id',
    auth: 'admin',
    permission: 'keys:manage',
    summary: 'Rename an agent key, or change its limits',
    answers: { 200: listedAgentKey },
    refuses: ['not_found'],
    body: agentKeyUpdate,
    handle: async ({ params, body }) => {
      const changed = await db.em().transactional(async (em) => {
        const key = await em.findOne(AgentKey, { id: idFrom(params.id) });
        if (!key) throw new DomainError('not_found');
        const given = Object.entries(body).filter(([, value]) => value !== undefined);
        em.assign(key, Object.fromEntries(given));
        await em.flush();
        if (body.expires_at !== undefined) await offerOrdersAgain(em);
        return key;
      });
      return { status: 200, body: agentKeyView(changed) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/agent-keys/:id/rotate',
    auth: 'admin',
    permission: 'keys:manage',
    summary: 'Rotate the secret of an agent key',
    description: 'The old secret stays valid for the overlap. If the response is lost, rotate the key again.',
    answers: { 201: rotateResponse },
    refuses: ['not_found', 'agent_key_inactive'],
    body: rotateRequest,
    handle: async ({ params, body }) => {
      const id = idFrom(params.id);
      const api_key = newAgentKey();
      const old_key_expires_at = await rotateAgentKey(db, id, hashKey(api_key), body.overlap);
      return { status: 201, body: { id, api_key, warning: SHOWN_ONCE, old_key_expires_at } };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/agent-keys/:id/rotate-webhook-secret',
    auth: 'admin',
    permission: 'keys:manage',
    summary: 'Rotate the webhook secret of an agent key',
    description:
      'The old secret signs webhooks too, during the overlap. If the response is lost, rotate the secret again.',
    answers: { 201: rotatedWebhookSecret },
    refuses: ['not_found', 'agent_key_inactive'],
    body: webhookSecretRotation,
    handle: async ({ params, body }) => {
      const id = idFrom(params.id);
      const { secret, oldEndsAt } = await rotateAgentWebhookSecret(db, id, body.overlap, secrets);
      const rotated = { id, webhook_secret: secret, warning: SHOWN_ONCE, old_secret_expires_at: oldEndsAt };
      return { status: 201, body: rotated };
    },
  }),
  route({
    method: 'delete',
    path: '/api/admin/agent-keys/:id',
    auth: 'admin',
    permission: 'keys:manage',
    summary: 'Deactivate an agent key',
    description:
      'Corridor refuses the key immediately and cancels its unclaimed orders. Orders whose fiat may have been sent stay.',
    query: auditReason,
    answers: { 200: ok },
    refuses: ['not_found'],
    handle: async ({ params, query }) => {
      const changed = await withReason(query.reason, () =>
        db.em().nativeUpdate(AgentKey, { id: idFrom(params.id) }, { is_active: false }),
      );
      if (changed === 0) throw new DomainError('not_found');
      return { status: 200, body: { ok: true } };
    },
  }),
];

const agentKeyView = (key: AgentKey): ListedAgentKey => ({
  id: key.id,
  name: key.name ?? null,
  integrator_name: key.integrator_name ?? null,
  rate_limit: key.rate_limit ?? null,
  max_exposure_usd: Number(key.max_exposure_usd),
  is_active: key.is_active,
  scopes: key.scopes ?? null,
  expires_at: key.expires_at?.toISOString() ?? null,
  allowed_ips: key.allowed_ips ?? null,
  created_at: key.created_at.toISOString(),
  last_used_at: key.last_used_at?.toISOString() ?? null,
  last_used_address: key.last_used_address ?? null,
});
