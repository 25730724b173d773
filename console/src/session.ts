import { signal } from '@preact/signals';
import type { SignedIn } from '../../src/api/resources/console-sessions/schemas.ts';
import { mayDo, type Permission, type Role } from '../../src/domain/permissions.ts';
import { ApiError, type Call, call } from './api.ts';
import { isUnattended } from './attention.ts';

/** Who is signed in. The browser has a cookie that no script can read, and shares it with all tabs. */
export interface Session {
  role: SignedIn['caller']['kind'];
  /** Identifies the LP, the agent's key or the admin: `lp:7`. */
  owner: string;
  name: string;
  /** What an admin is: `owner`. Null for an LP and an agent. */
  position: Role | null;
  endsAt: string | null;
}

const PATH = '/api/console/session';
/** Codes with which the service refuses a request without a valid session. */
const SESSION_REFUSED = [
  'lp_unauthorized',
  'agent_key_required',
  'agent_address_refused',
  'admin_key_invalid',
  'admin_address_refused',
  'session_required',
  'key_invalid',
];

/** Undefined until the service has said who is signed in. */
export const session = signal<Session | null | undefined>(undefined);
/** Whether the role of the signed-in admin has a permission. The service decides; a page hides what it would refuse. */
export function isPermitted(permission: Permission): boolean {
  const position = session.value?.position;
  return position !== null && position !== undefined && mayDo(position, permission);
}
/** Why the page could not find out who is signed in. */
export const sessionError = signal<Error | null>(null);
/** Why the last session ended, if the user did not end it; empty: no reason to show. */
export const signOutReason = signal('');

/** Proves to the service that a page of its own sends a change. */
let csrfToken = '';

/** Notifies the other tabs of this browser of each sign-in and sign-out. */
const tabs = new BroadcastChannel('corridor-session');
tabs.onmessage = async () => {
  const before = session.value;
  await loadSession();
  if (before && session.value === null) signOutReason.value = 'You have signed out in another tab.';
};

/** Asks the service who is signed in. */
export async function loadSession(): Promise<void> {
  try {
    adopt(await call<SignedIn>('GET', PATH));
  } catch (error) {
    if (error instanceof ApiError && SESSION_REFUSED.includes(error.code)) {
      // That nobody was signed in before the page loaded is no reason to show.
      if (session.value || error.code !== 'session_required') signOutReason.value = error.message;
      session.value = null;
    } else if (session.value === undefined) sessionError.value = error as Error;
  }
}

/** Signs in if the service accepts the key; throws its refusal otherwise. The page forgets the key. */
export async function signIn(key: string): Promise<void> {
  // A header cannot carry other characters.
  if (!/^[!-~]+$/.test(key)) throw new Error('A key has neither spaces nor accents: copy it again.');
  adopt(await call<SignedIn>('POST', PATH, { key }));
  tabs.postMessage('signed in');
}

/** Ends this session; with `everywhere`, all sessions of its owner in all browsers. */
export async function signOut(everywhere = false): Promise<void> {
  await callApi('DELETE', everywhere ? `${PATH}s` : PATH).catch((error) => {
    // A session that has ended already is what the user wants.
    if (session.value) throw error;
  });
  signOutReason.value = '';
  session.value = null;
  tabs.postMessage('signed out');
}

/** Calls the API with the session. Finds out whether the session has ended if the service refuses it. */
export async function callApi<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  request: Omit<Call, 'key'> = {},
): Promise<T> {
  const current = session.value;
  if (!current) throw new Error('You are not signed in');
  const send = () =>
    call<T>(method, path, { ...request, headers: { ...sessionHeaders(), ...request.headers } });
  const tokenBefore = csrfToken;
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The page offers what the role allowed when it was loaded: somebody has changed the role since.
    if (error.code === 'permission_missing') await loadSession();
    if (!SESSION_REFUSED.includes(error.code)) throw error;
    await loadSession();
    // Another tab has signed in again as the same owner: the session has another token now.
    if (session.value?.owner === current.owner && csrfToken !== tokenBefore) return send();
    throw error;
  }
}

/** Returns the path of one of an LP's own routes. `me` stands for the key, which the page does not have. */
export const lpPath = (path: string): string => `/api/lp/me${path}`;

/** A page that nobody uses does not keep the session open. An LP's does: it waits for orders. */
const sessionHeaders = (): Record<string, string> => ({
  'x-csrf-token': csrfToken,
  ...(session.value?.role !== 'lp' && isUnattended() ? { 'x-unattended': 'true' } : {}),
});

function adopt({ caller, csrf_token, expires_at }: SignedIn): void {
  sessionError.value = null;
  csrfToken = csrf_token ?? '';
  signOutReason.value = '';
  const owner = `${caller.kind}:${caller.id ?? 'root'}`;
  const position = caller.kind === 'admin' ? caller.role : null;
  const { kind: role, name } = { ...caller, name: caller.name ?? `Key ${caller.id}` };
  // The pages stay as they are while the owner stays the same.
  const before = session.peek();
  if (before?.owner === owner && before.position === position && before.endsAt === expires_at) return;
  session.value = { role, owner, name, position, endsAt: expires_at };
}
