import type { KnownAgent } from '../../../http/access/find-caller.ts';
import { type Exposure, readExposure } from '../../../market/pricing/exposure.ts';
import type { ApiDeps } from '../../deps.ts';
import { type Route, route } from '../../route.ts';
import { type OwnKey, ownKey } from './schemas.ts';

/** What an agent may know about its own key. */
export const ownKeyRoutes = ({ db, settings }: ApiDeps): Route[] => [
  route({
    method: 'get',
    path: '/api/v1/key',
    auth: 'agent',
    scope: null,
    summary: 'Read your own key: what it may do, its limits, and how much of them is left',
    answers: { 200: ownKey },
    refuses: [],
    handle: async ({ principal }) => {
      const exposure = await readExposure(db, principal.id);
      return { status: 200, body: ownKeyView(principal, settings.limits.agent, exposure) };
    },
  }),
];

/** `defaultLimit`: requests per minute of a key without a limit of its own; 0: any number. */
const ownKeyView = (key: KnownAgent, defaultLimit: number, exposure: Exposure): OwnKey => ({
  id: key.id,
  name: key.name ?? null,
  integrator_name: key.integrator_name ?? null,
  scopes: key.scopes ?? null,
  expires_at: key.expires_at?.toISOString() ?? null,
  allowed_ips: key.allowed_ips ?? null,
  created_at: key.created_at.toISOString(),
  last_used_at: key.last_used_at?.toISOString() ?? null,
  last_used_address: key.last_used_address ?? null,
  requests_per_minute: (key.rate_limit ?? defaultLimit) || null,
  exposure,
});
