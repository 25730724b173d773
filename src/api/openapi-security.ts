import type { ErrorCode } from '../http/errors.ts';
import type { Auth } from './route-contract.ts';

/** How callers authenticate, in the OpenAPI document. */

const SCHEME: Record<Exclude<Auth, 'none' | 'any' | 'known'>, { key: string; description: string }> = {
  agent: { key: 'agentKey', description: 'An agent API key: `rk_live_` and 48 hexadecimal characters.' },
  admin: {
    key: 'adminKey',
    description:
      'An admin’s key: `adm_live_` and 48 hexadecimal characters, or the root key of the installation.',
  },
  lp: {
    key: 'lpKey',
    description:
      'The key of a liquidity provider: `lp_…`. When the path contains a key, the two must be equal.',
  },
};
const SESSION = 'consoleSession';
const SESSION_SCHEME = {
  ...{ type: 'apiKey', in: 'cookie', name: 'corridor_session' },
  description:
    'The session of a browser that is signed in to the console, for pages of this service. It counts as the key with which it was opened, on all routes, with `me` for an LP’s key in a path. Over https the name is `__Host-corridor_session`.',
};
/** The error codes that a route's authentication implies. */
export const REFUSED_BY_AUTH: Record<Auth, ErrorCode[]> = {
  // Any keyed route can refuse an address with too many wrong keys; agent keys may also have their own limit.
  agent: [
    ...(['agent_key_required', 'agent_key_invalid', 'agent_address_refused', 'scope_missing'] as const),
    'rate_limited',
  ],
  admin: ['admin_key_invalid', 'admin_address_refused', 'permission_missing', 'rate_limited'],
  lp: ['lp_unauthorized', 'rate_limited'],
  none: [],
  any: ['rate_limited'],
  known: [
    ...(['key_invalid', 'session_required', 'agent_address_refused', 'admin_address_refused'] as const),
    'rate_limited',
  ],
};

/** The security schemes of the document. */
export const SECURITY_SCHEMES = {
  ...Object.fromEntries(
    Object.values(SCHEME).map(({ key, description }) => [
      key,
      { type: 'http', scheme: 'bearer', description },
    ]),
  ),
  [SESSION]: SESSION_SCHEME,
};

/** What a route takes. `any`: also nothing. `known`: a session first. */
export function securityOf(auth: Auth): object[] {
  if (auth === 'none') return [];
  const keys = Object.values(SCHEME).map(({ key }) => ({ [key]: [] }));
  if (auth === 'any') return [{}, ...keys];
  if (auth === 'known') return [{ [SESSION]: [] }, ...keys];
  return [{ [SCHEME[auth].key]: [] }];
}
