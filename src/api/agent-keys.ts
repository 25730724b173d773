import { z } from 'zod';
import {
  agentKeyRequest,
  agentKeyResponse,
  agentKeyUpdate,
  type ListedAgentKey,
  listedAgentKey,
  rotateRequest,
  rotateResponse,
} from '../contract/admin.ts';
import { ok } from '../contract/answers.ts';
import { crashPoint } from '../crash-point.ts';
import { rotateAgentKey } from '../db/commands/rotate-agent-key.ts';
import { AgentKey } from '../db/entities/agent-key.ts';
import { DomainError } from '../domain/errors.ts';
import { hashKey, newAgentKey, SHOWN_ONCE } from '../keys.ts';
import type { ApiDeps } from './deps.ts';
import { type Route, route } from './route.ts';
import { idFrom } from './validate.ts';

/** Contract: "Admin routes". */
export const agentKeyRoutes = ({ db }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/admin/agent-keys',
    auth: 'admin',
    summary: 'Issue an agent key',
    answers: { 201: agentKeyResponse },
    refuses: [],
    body: agentKeyRequest,
    handle: async ({ body }) => {
      const api_key = newAgentKey();
      const { name = null, integrator_name = null } = body;
      const id = await db.em().insert(AgentKey, { name, integrator_name, key_hash: hashKey(api_key) });
      crashPoint('issue.committed');
      return { status: 201, body: { id: Number(id), api_key, warning: SHOWN_ONCE } };
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
      return { status: 200, body: keys.map(listed) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/agent-keys/:id',
    auth: 'admin',
    summary: 'Rename an agent key, or change its limits',
    answers: { 200: listedAgentKey },
    refuses: ['not_found'],
    body: agentKeyUpdate,
    handle: async ({ params, body }) => {
      const em = db.em();
      const key = await em.findOne(AgentKey, { id: idFrom(params.id) });
      if (!key) throw new DomainError('not_found');
      em.assign(key, body);
      await em.flush();
      return { status: 200, body: listed(key) };
    },
  }),
  route({
    method: 'post',
    path: '/api/admin/agent-keys/:id/rotate',
    auth: 'admin',
    summary: 'Give an agent key a new secret',
    description:
      'The key keeps its id and its orders. The old secret stays valid for the overlap, so that the agent can change over without a pause. The oldest that is still valid stays, too, until its own overlap ends, but no longer than this one: after an answer that got lost, the key can be rotated again.',
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
    method: 'delete',
    path: '/api/admin/agent-keys/:id',
    auth: 'admin',
    summary: 'Deactivate an agent key',
    answers: { 200: ok },
    refuses: ['not_found'],
    handle: async ({ params }) => {
      const changed = await db.em().nativeUpdate(AgentKey, { id: idFrom(params.id) }, { is_active: false });
      if (changed === 0) throw new DomainError('not_found');
      return { status: 200, body: { ok: true } };
    },
  }),
];

const listed = (key: AgentKey): ListedAgentKey => ({
  id: key.id,
  name: key.name ?? null,
  integrator_name: key.integrator_name ?? null,
  rate_limit: key.rate_limit ?? null,
  max_exposure_usd: key.max_exposure_usd == null ? null : Number(key.max_exposure_usd),
  is_active: key.is_active,
  created_at: key.created_at.toISOString(),
  last_used_at: key.last_used_at?.toISOString() ?? null,
});
