import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Session, type SessionKind } from '../db/entities/session.ts';
import type { Database } from '../db/orm.ts';
import { cookieIn, setCookie } from '../http/cookies.ts';
import { isHttps, type PublicSettings } from '../http/own-page.ts';
import { hasSecret } from './has-secret.ts';
import { hashKey } from './keys.ts';

/** How long a session of the console lasts, in milliseconds. */
export interface SessionLimits {
  /** Without a request. */
  idle: number;
  /** From the sign-in. */
  lifetime: number;
}

/** Whose session it is. `id` null: the admin with the root key. */
export interface SessionOwner {
  kind: SessionKind;
  id: number | null;
}

/** A session that has neither ended nor expired. Whether its owner still has access is for each request to find out. */
export interface OpenSession extends SessionOwner {
  sessionId: number;
  /** What the session was opened with, as `openSession` has stored it; null: not with a key. */
  keyHash: Buffer | null;
  expiresAt: Date;
  /** The value that a page must send in `X-CSRF-Token` with each change. */
  csrfToken: string;
  token: string;
}

/** A `__Host-` cookie cannot come from another host of the domain, nor over http. */
const cookieName = (secure: boolean): string => (secure ? '__Host-corridor_session' : 'corridor_session');

/** The token in the session cookie of a request; undefined: there is none. */
export function sessionToken(request: IncomingMessage, settings: PublicSettings): string | undefined {
  const token = cookieIn(request, cookieName(isHttps(request, settings)));
  return token !== undefined && /^[0-9a-f]{64}$/.test(token) ? token : undefined;
}

/** The header that makes the browser keep a session; with null, forget it. */
export function sessionCookie(
  request: IncomingMessage,
  token: string | null,
  settings: PublicSettings & { session: SessionLimits },
): string {
  const secure = isHttps(request, settings);
  const maxAge = token === null ? 0 : Math.ceil(settings.session.lifetime / 1_000);
  return setCookie(cookieName(secure), token ?? '', { maxAge, secure, sameSite: 'Strict', path: '/' });
}

/** Another value of each session that only its own page can know: the token itself never leaves the cookie. */
const csrfTokenOf = (token: string): string => createHmac('sha256', token).update('csrf').digest('hex');

/**
 * Binds a session to the root key. The database has the hash of the token only, so a stolen table does not help to guess the
 * root key, which the operator may have made up.
 */
const rootProof = (token: string, rootKey: string): Buffer =>
  createHmac('sha256', token).update(rootKey).digest();

/** Whether a session was opened with one of these root keys. */
export const isOfRootKey = ({ token, keyHash }: OpenSession, rootKeys: readonly string[]): boolean =>
  keyHash !== null && rootKeys.some((key) => timingSafeEqual(rootProof(token, key), keyHash));

/** What to open a session with: a key, or null for a sign-in without one. */
export interface NewSession {
  owner: SessionOwner;
  key: string | null;
  address: string | null;
  userAgent: string | undefined;
  lifetime: number;
}

/** Opens a session under a new random token, which only the browser gets. */
export async function openSession(
  db: Database,
  { owner: { kind, id }, key, address, userAgent, lifetime }: NewSession,
): Promise<OpenSession> {
  const token = randomBytes(32).toString('hex');
  const keyHash = key && (kind === 'admin' && id === null ? rootProof(token, key) : hashKey(key));
  const expiresAt = new Date(Date.now() + lifetime);
  const sessionId = await db.em().insert(Session, {
    token_hash: hashKey(token),
    key_hash: keyHash || null,
    ...{ kind, principal_id: id, address, user_agent: userAgent?.slice(0, 200) ?? null },
    expires_at: expiresAt,
  });
  const csrfToken = csrfTokenOf(token);
  return { kind, id, sessionId: Number(sessionId), keyHash: keyHash || null, expiresAt, csrfToken, token };
}

const IS_LIVE = (idle: string) => `
  ended_at is null and expires_at > now() and last_used_at > now() - ${idle} * interval '1 millisecond'`;

const FIND = `
  select id as "sessionId", kind, principal_id as id, key_hash as "keyHash", expires_at as "expiresAt",
    last_used_at < now() - $2 * interval '1 millisecond' / 30 as "isUseDue"
  from session where token_hash = $1 and ${IS_LIVE('$2')}`;

const NOTE_USE = 'update session set last_used_at = now() where id = $1';

interface Found extends Omit<OpenSession, 'csrfToken' | 'token' | 'expiresAt'>, Record<string, unknown> {
  expiresAt: string;
  isUseDue: boolean;
}

/**
 * The session with this token; null: there is none, or it has ended. `isUse`: the request counts as its use, which is noted
 * thirty times per idle time at most.
 */
export async function findSession(
  db: Database,
  token: string,
  { idle }: SessionLimits,
  isUse: boolean,
): Promise<OpenSession | null> {
  const [found] = await db.query<Found>('session-find', FIND, [hashKey(token), idle]);
  if (!found) return null;
  const { isUseDue, expiresAt, ...session } = found;
  if (isUse && isUseDue) await db.query('session-note-use', NOTE_USE, [session.sessionId]);
  return { ...session, expiresAt: new Date(expiresAt), csrfToken: csrfTokenOf(token), token };
}

const LIVE_LPS = `
  select s.id from session s join lp on lp.id = s.principal_id and ${hasSecret('lp', 's.key_hash')}
  where s.id = any($1::bigint[]) and s.kind = 'lp' and ${IS_LIVE('$2')}`;

/** Of these sessions of LPs, the ids of those that have not ended and whose key is still valid. */
export async function liveLpSessions(
  db: Database,
  ids: number[],
  { idle }: SessionLimits,
): Promise<Set<number>> {
  const rows = await db.query<{ id: number }>('session-live-lps', LIVE_LPS, [ids, idle]);
  return new Set(rows.map(({ id }) => id));
}

const END = 'update session set ended_at = now() where token_hash = $1 and ended_at is null';
const END_ALL = `
  update session set ended_at = now()
  where kind = $1 and principal_id is not distinct from $2 and ended_at is null and expires_at > now()
  returning id`;

/** Ends the session with this token, if it is open. */
export const endSession = (db: Database, token: string) => db.query('session-end', END, [hashKey(token)]);

/** Ends all sessions of an owner, in every browser, and returns how many there were. */
export async function endAllSessions(db: Database, { kind, id }: SessionOwner): Promise<number> {
  return (await db.query('session-end-all', END_ALL, [kind, id])).length;
}
