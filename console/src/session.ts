import { signal } from '@preact/signals';
import { ApiError, type Call, call } from './api.ts';

/** Who looks at the console. The key is kept for this tab alone, and goes nowhere but to the service. */
export interface Session {
  role: 'lp' | 'admin';
  key: string;
}

const KEPT_AS = 'corridor-console';
/** Codes with which the service says that a key is none, or is none any more. */
const KEY_REFUSED = ['lp_unauthorized', 'admin_key_invalid'];

export const session = signal<Session | null>(kept());
/** Why the last session ended, in the service's words; empty when its owner ended it. */
export const farewell = signal('');

const KIND: [prefix: string, role: Session['role'] | null][] = [
  ['lp_', 'lp'],
  ['rk_live_', null],
  ['', 'admin'],
];

/** Signs in when the service takes the key; throws what it says otherwise. */
export async function signIn(key: string): Promise<void> {
  const role = KIND.find(([prefix]) => key.startsWith(prefix))?.[1] ?? null;
  if (role === null) throw new Error('This is an agent’s key. The console is for LPs and admins.');
  const opening = role === 'lp' ? lpPath(key, '/dashboard') : '/api/admin/users?limit=1';
  await call('GET', opening, { key });
  farewell.value = '';
  session.value = { role, key };
  sessionStorage.setItem(KEPT_AS, JSON.stringify(session.value));
}

export function signOut(why = ''): void {
  sessionStorage.removeItem(KEPT_AS);
  farewell.value = why;
  session.value = null;
}

/** Calls the API with the session's key; a key that is refused ends the session. */
export async function ask<T>(
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  request: Omit<Call, 'key'> = {},
): Promise<T> {
  const held = session.value;
  if (!held) throw new Error('Nobody is signed in');
  try {
    return await call<T>(method, path, { ...request, key: held.key });
  } catch (error) {
    const refused = error instanceof ApiError && KEY_REFUSED.includes(error.code);
    if (refused && session.value === held) signOut(error.message);
    throw error;
  }
}

/** The path of one of an LP's own routes, which begin with its key. */
export const lpPath = (key: string, path: string): string => `/api/lp/${encodeURIComponent(key)}${path}`;

function kept(): Session | null {
  const text = sessionStorage.getItem(KEPT_AS);
  return text === null ? null : (JSON.parse(text) as Session);
}
