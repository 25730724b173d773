import type { Context } from 'koa';
import type { Auth } from '../../contract/route-contract.ts';
import type { Database } from '../../db/orm.ts';
import type { Findings, Inquiry, KnownAgent } from '../../db/queries/callers.ts';
import { DomainError } from '../../domain/errors.ts';
import { hashKey, sameSecret } from '../../keys.ts';
import type { ApiSettings } from '../deps.ts';
import type { Principals } from '../route.ts';

/** What must be known to tell who calls, and who it is by what was found: a principal, or a refusal that is thrown. */
interface Credentials extends Pick<Inquiry, 'agentHash' | 'lpHash'> {
  principal: (found: Pick<Findings, 'agent' | 'lp'>) => Principals[Auth];
}

type AdminKeys = Pick<ApiSettings, 'adminApiKey' | 'secondAdminApiKey'>;

const opensAdmin = (token: string, { adminApiKey, secondAdminApiKey }: AdminKeys): boolean =>
  [adminApiKey, secondAdminApiKey].some((key) => key !== undefined && sameSecret(token, key));

/** Keys are looked up by their hash, so the comparison that decides happens on random data. */
export function credentials(ctx: Context, auth: Auth, adminKeys: AdminKeys): Credentials {
  const token = bearer(ctx.get('authorization'));
  switch (auth) {
    case 'none':
      return { ...NO_KEYS, principal: () => null };
    case 'any': {
      if (!token) return { ...NO_KEYS, principal: () => null };
      if (opensAdmin(token, adminKeys)) return { ...NO_KEYS, principal: () => ({ kind: 'admin' }) };
      const hash = hashKey(token);
      return {
        agentHash: hash,
        lpHash: hash,
        principal: ({ agent, lp }) => (agent ? { kind: 'agent', agent } : lp && { kind: 'lp', lp }),
      };
    }
    case 'admin': {
      const isAdmin = token !== undefined && opensAdmin(token, adminKeys);
      return {
        ...NO_KEYS,
        principal: () => {
          if (!isAdmin) throw new DomainError('admin_key_invalid');
          return 'admin';
        },
      };
    }
    case 'agent':
      return {
        agentHash: token === undefined ? null : hashKey(token),
        lpHash: null,
        principal: ({ agent }) => {
          if (!agent) throw new DomainError(token ? 'agent_key_invalid' : 'agent_key_required');
          return agent;
        },
      };
    case 'lp': {
      const pathKey: string | undefined = ctx.params.lp_key;
      const isOneKey = token !== undefined && (pathKey === undefined || sameSecret(token, pathKey));
      return {
        agentHash: null,
        lpHash: isOneKey ? hashKey(token) : null,
        principal: ({ lp }) => {
          if (!lp) throw new DomainError('lp_unauthorized');
          return lp;
        },
      };
    }
  }
}

const NO_KEYS = { agentHash: null, lpHash: null };

/** The token of an `Authorization: Bearer` header. */
export const bearer = (header: string | undefined): string | undefined =>
  /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];

const NOTE_USE = `
  update agent_key set last_used_at = now()
  where id = $1 and (last_used_at is null or last_used_at < now() - interval '1 minute')`;

/** Kept to the minute, so that a busy key does not cost a write for each request. */
export async function noteUse(db: Database, { id, last_used_at }: KnownAgent): Promise<void> {
  if (last_used_at && Date.now() - last_used_at.getTime() < 60_000) return;
  await db.query('agent-note-use', NOTE_USE, [id]);
}
