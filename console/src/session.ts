import { signal } from '@preact/signals';
import { ApiError, type Call, call } from './api.ts';

/** The signed-in user. The browser keeps the key for this tab only, and sends it only to the service. */
export interface Session {
  role: 'lp' | 'admin';
  key: string;
}

const STORAGE_KEY = 'corridor-console';
/** Codes with which the service refuses an unknown or revoked key. */
const KEY_REFUSED = ['lp_unauthorized', 'admin_key_invalid'];

export const session = signal<Session | null>(loadSession());
/** Why the service ended the last session; empty: the user signed out. */
export const signOutReason = signal('');

/** The first matching prefix decides. Agents have no pages here. */
const ROLE_BY_PREFIX: [prefix: string, role: Session['role'] | null][] = [
  ['lp_', 'lp'],
  ['rk_live_', null],
  ['', 'admin'],
];

/** Signs in if the service accepts the key; throws its refusal otherwise. */
export async function signIn(key: string): Promise<void> {
  const role = ROLE_BY_PREFIX.find(([prefix]) => key.startsWith(prefix))?.[1] ?? null;
  if (role === null) throw new Error('This is an agent’s key. The console is for LPs and admins.');
  const path = role === 'lp' ? lpPath(key, '/dashboard') : '/api/admin/users?limit=1';
  await call('GET', path, { key });
  signOutReason.value = '';
  session.value = { role, key };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session.value));
}

export function signOut(reason = ''): void {
  sessionStorage.removeItem(STORAGE_KEY);
  signOutReason.value = reason;
  session.value = null;
}

/** Calls the API with the session's key. Ends the session if the service refuses the key. */
export async function callApi<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  request: Omit<Call, 'key'> = {},
): Promise<T> {
  const current = session.value;
  if (!current) throw new Error('You are not signed in');
  try {
    return await call<T>(method, path, { ...request, key: current.key });
  } catch (error) {
    const isKeyRefused = error instanceof ApiError && KEY_REFUSED.includes(error.code);
    if (isKeyRefused && session.value === current) signOut(error.message);
    throw error;
  }
}

/** Returns the path of one of an LP's own routes, which start with its key. */
export const lpPath = (key: string, path: string): string => `/api/lp/${encodeURIComponent(key)}${path}`;

function loadSession(): Session | null {
  const text = sessionStorage.getItem(STORAGE_KEY);
  return text === null ? null : (JSON.parse(text) as Session);
}
