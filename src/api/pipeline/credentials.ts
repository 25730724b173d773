import type { Context } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { wrongKind } from '../../domain/key-kind.ts';
import type { KnownAdmin } from '../../http/access/find-admin.ts';
import type { CallerQuery, FoundCaller } from '../../http/access/find-caller.ts';
import { hashKey, sameSecret } from '../../http/access/keys.ts';
import { bearerToken } from '../../http/bearer-token.ts';
import type { Party, Principals } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import type { PresentedSession } from './session.ts';

/** What to look up, and the function that turns the found rows into the principal or throws the refusal. */
export interface Credentials extends Pick<CallerQuery, 'agentHash' | 'lpHash'> {
  /** The token, where it may be an admin's. */
  token: string | null;
  principalOf: (found: Found) => Principals[Auth];
}

type Found = Pick<FoundCaller, 'agent' | 'lp'> & { admin: KnownAdmin | null };

const NOTHING = { agentHash: null, lpHash: null, token: null };

/** The word that stands for the key in the path of a signed-in LP. */
const OWN = 'me';

/** The database compares hashes, not keys: how long a lookup takes says nothing about the key itself. */
export function credentials(ctx: Context, auth: Auth, { session, refusal }: PresentedSession): Credentials {
  const token = bearerToken(ctx.get('authorization'));
  const keyHash = token === undefined ? null : hashKey(token);
  const agentHash = session?.kind === 'agent' ? session.keyHash : keyHash;
  const lpHash = session?.kind === 'lp' ? session.keyHash : keyHash;
  switch (auth) {
    case 'none':
      return { ...NOTHING, principalOf: () => null };
    case 'any':
      return { agentHash, lpHash, token: token ?? null, principalOf: partyOf };
    case 'known':
      return {
        ...{ agentHash, lpHash, token: token ?? null },
        principalOf: (found) => {
          const party = partyOf(found);
          if (!party) throw new DomainError(token ? 'key_invalid' : 'session_required', refusal);
          return party;
        },
      };
    case 'admin':
      return {
        ...NOTHING,
        token: token ?? null,
        principalOf: ({ admin }) => {
          if (!admin) throw new DomainError('admin_key_invalid', refusal ?? wrongKind(token ?? '', 'admin'));
          return admin;
        },
      };
    case 'agent':
      return {
        ...NOTHING,
        agentHash,
        principalOf: ({ agent }) => {
          if (agent) return agent;
          if (!token) throw new DomainError('agent_key_required', refusal);
          throw new DomainError('agent_key_invalid', refusal ?? wrongKind(token, 'agent'));
        },
      };
    case 'lp': {
      const pathKey: string | undefined = ctx.params.lp_key;
      const isOneKey = token !== undefined && (pathKey === undefined || sameSecret(token, pathKey));
      const isOwn = session !== null && (pathKey === undefined || pathKey === OWN);
      return {
        ...NOTHING,
        lpHash: isOneKey || isOwn ? lpHash : null,
        principalOf: ({ lp }) => {
          if (!lp) throw new DomainError('lp_unauthorized', refusal);
          return lp;
        },
      };
    }
  }
}

function partyOf({ admin, agent, lp }: Found): Party | null {
  if (admin) return { kind: 'admin', admin };
  return agent ? { kind: 'agent', agent } : lp && { kind: 'lp', lp };
}
