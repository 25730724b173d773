import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { batched } from '../../db/batched.ts';
import { Session, type SessionKind } from '../../db/entities/session.ts';
import type { Database } from '../../db/orm.ts';
import { exactAddress } from '../client-address.ts';
import { cookieIn, setCookie } from '../cookies.ts';
import { isHttps, type PublicSettings } from '../own-page.ts';
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
  /** What the session was opened with, as `signInBrowser` has stored it; null: not with a key. */
  keyHash: Buffer | null;
  expiresAt: Date;
  /** The value that a page must send in `X-CSRF-Token` with each change. */
  csrfToken: string;
  token: string;
}

type SignInSettings = PublicSettings & { session: SessionLimits };

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
  settings: SignInSettings,
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

/** Who signs in, and with which key; null: with none, at the identity provider. */
export interface SignIn {
  owner: SessionOwner;
  key: string | null;
}

/**
 * Signs a browser in: ends the session that it has, and opens one under a new random token, which only its cookie has.
 * Returns the session, and the header that sets the cookie.
 */
export async function signInBrowser(
  db: Database,
  request: IncomingMessage,
  settings: SignInSettings,
  { owner, key }: SignIn,
): Promise<{ session: OpenSession; cookie: string }> {
  const replaced = sessionToken(request, settings);
  if (replaced !== undefined) await endSession(db, replaced);
  const token = randomBytes(32).toString('hex');
  const isRoot = owner.kind === 'admin' && owner.id === null;
  const keyHash = key === null ? null : isRoot ? rootProof(token, key) : hashKey(key);
  const expiresAt = new Date(Date.now() + settings.session.lifetime);
  const sessionId = await db.em().insert(Session, {
    ...{ token_hash: hashKey(token), key_hash: keyHash, expires_at: expiresAt },
    ...{ kind: owner.kind, principal_id: owner.id },
    address: exactAddress(request, settings.trustProxyHops),
    user_agent: request.headers['user-agent']?.slice(0, 200) ?? null,
  });
  const session = { ...owner, sessionId: Number(sessionId), keyHash, expiresAt };
  return {
    session: { ...session, csrfToken: csrfTokenOf(token), token },
    cookie: sessionCookie(request, token, settings),
  };
}

/** SQL: whether a session can still be used. `idle`: the parameter with the idle time in milliseconds. */
export const isLive = (idle: string): string => `
  ended_at is null and expires_at > now() and last_used_at > now() - ${idle} * interval '1 millisecond'`;

const FIND = `
  select token_hash as "tokenHash", id as "sessionId", kind, principal_id as id, key_hash as "keyHash",
    expires_at as "expiresAt", last_used_at < now() - $2 * interval '1 millisecond' / 30 as "isUseDue"
  from session where token_hash = any ($1::bytea[]) and ${isLive('$2')}`;

const NOTE_USE = 'update session set last_used_at = now() where id = $1';

interface Found extends Omit<OpenSession, 'csrfToken' | 'token' | 'expiresAt'>, Record<string, unknown> {
  tokenHash: Buffer;
  expiresAt: string;
  isUseDue: boolean;
}

/**
 * The session with this token; null: there is none, or it has ended. `isUse`: the request counts as its use, which is noted
 * thirty times per idle time at most.
 */
export type FindSession = (token: string, isUse: boolean) => Promise<OpenSession | null>;

/** How many requests one statement may serve. */
const LARGEST_BATCH = 16;

/**
 * Returns a function that finds a session. Requests that arrive together share one statement, so many with made-up tokens take
 * one connection of the pool, as many with made-up keys do.
 */
export function createFindSession(db: Database, { idle }: SessionLimits): FindSession {
  const findRow = batched(async (hashes: Buffer[]) => {
    const rows = await db.query<Found>('session-find', FIND, [hashes, idle]);
    return hashes.map((hash) => rows.find(({ tokenHash }) => tokenHash.equals(hash)));
  }, LARGEST_BATCH);
  return async (token, isUse) => {
    const row = await findRow(hashKey(token));
    if (!row) return null;
    const { tokenHash: _, isUseDue, expiresAt, ...session } = row;
    if (isUse && isUseDue) await db.query('session-note-use', NOTE_USE, [session.sessionId]);
    return { ...session, expiresAt: new Date(expiresAt), csrfToken: csrfTokenOf(token), token };
  };
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
