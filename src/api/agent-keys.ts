import { z } from 'zod';
import { agentKeyRequest, agentKeyResponse, type ListedAgentKey, listedAgentKey } from '../contract/admin.ts';
import { ok } from '../contract/answers.ts';
import { AgentKey } from '../db/entities/agent-key.ts';
import { DomainError } from '../domain/errors.ts';
import { hashKey, newAgentKey } from '../keys.ts';
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
      const warning = 'Store this key now: it is not shown again';
      return { status: 201, body: { id: Number(id), api_key, warning } };
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
  is_active: key.is_active,
  created_at: key.created_at.toISOString(),
  last_used_at: key.last_used_at?.toISOString() ?? null,
});
