import { SCOPES } from '../../../domain/agent-scopes.ts';
import { mayDo, PERMISSIONS, type Permission } from '../../../domain/permissions.ts';
import type { OpenSession, SessionOwner } from '../../../http/access/console-session.ts';
import type { ListedSession } from '../../../http/access/own-sessions.ts';
import type { Party } from '../../route.ts';
import type { SessionList, SignedIn } from './schemas.ts';

/** The owner that a session of this caller has. */
export function ownerOf(party: Party): SessionOwner {
  if (party.kind === 'admin') return { kind: 'admin', id: party.admin.id };
  return party.kind === 'lp' ? { kind: 'lp', id: party.lp.id } : { kind: 'agent', id: party.agent.id };
}

/** Who the caller is now, and what a page needs for changes. */
export const signedInView = (party: Party, session: OpenSession | null): SignedIn => ({
  caller: callerView(party),
  csrf_token: session?.csrfToken ?? null,
  expires_at: session?.expiresAt.toISOString() ?? null,
});

export const listedView = (
  one: ListedSession,
  current: OpenSession | null,
): SessionList['sessions'][number] => ({
  ...one,
  created_at: new Date(one.created_at).toISOString(),
  last_used_at: new Date(one.last_used_at).toISOString(),
  is_current: one.id === current?.sessionId,
});

function callerView(party: Party): SignedIn['caller'] {
  if (party.kind === 'admin') {
    const { id, name, role } = party.admin;
    const all = Object.keys(PERMISSIONS) as Permission[];
    return { kind: 'admin', id, name, role, permissions: all.filter((one) => mayDo(role, one)) };
  }
  if (party.kind === 'lp') return { kind: 'lp', id: party.lp.id, name: party.lp.display_name };
  const { id, name, scopes } = party.agent;
  return { kind: 'agent', id, name: name ?? null, scopes: [...(scopes ?? SCOPES)] };
}
