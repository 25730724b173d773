import type { Context } from 'koa';
import { type FindSession, type OpenSession, sessionToken } from '../../http/access/console-session.ts';
import { sameSecret } from '../../http/access/keys.ts';
import { isFromOwnPage } from '../../http/own-page.ts';
import type { ApiDeps } from '../deps.ts';
import type { Route } from '../route.ts';

/** The session that a request's cookie names. */
export interface PresentedSession {
  session: OpenSession | null;
  /** Why the request has no session although it has a cookie: part of the refusal. Undefined: it has no cookie. */
  refusal?: string;
  /** One of our own pages sent a cookie. With a page of another site the user of the browser has tried nothing. */
  isTried: boolean;
}

const CROSS_ORIGIN =
  'The session cookie works for pages of this service only: open the console at the address in PUBLIC_URL';
const ENDED = 'Your session has ended: sign in again';
const NO_CSRF_TOKEN =
  'A change with the session cookie needs the header X-CSRF-Token, with csrf_token of GET /api/console/session';

/** A page sends this header with requests that its user did not cause, so that they do not keep the session alive. */
const UNATTENDED = 'x-unattended';

/**
 * Finds the session of a request without a key, if the route takes one. A browser adds the cookie also to requests that another page has caused, so
 * the session counts only for a request of our own pages, and for a change only with the token that such a page can read.
 */
export async function presentedSession(
  ctx: Context,
  { auth }: Pick<Route, 'auth'>,
  { settings }: Pick<ApiDeps, 'settings'>,
  findSession: FindSession,
): Promise<PresentedSession> {
  const isAsked = auth !== 'none' && ctx.get('authorization') === '';
  const token = isAsked ? sessionToken(ctx.req, settings) : undefined;
  if (token === undefined) return { session: null, isTried: false };
  if (!isFromOwnPage(ctx.req, settings)) return { session: null, refusal: CROSS_ORIGIN, isTried: false };
  const session = await findSession(token, ctx.get(UNATTENDED) === '');
  if (!session) return { session: null, refusal: ENDED, isTried: true };
  const isChange = ctx.method !== 'GET' && ctx.method !== 'HEAD';
  if (isChange && !sameSecret(ctx.get('x-csrf-token'), session.csrfToken))
    return { session: null, refusal: NO_CSRF_TOKEN, isTried: true };
  return { session, isTried: true };
}
