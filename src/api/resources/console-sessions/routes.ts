import { DomainError } from '../../../domain/errors.ts';
import {
  endAllSessions,
  endSession,
  sessionCookie,
  signInBrowser,
} from '../../../http/access/console-session.ts';
import { endOwnSession, listSessions } from '../../../http/access/own-sessions.ts';
import { bearerToken } from '../../../http/bearer-token.ts';
import type { ApiDeps } from '../../deps.ts';
import { START_PATH } from '../../pages/provider-sign-in.ts';
import { signInLimit } from '../../pipeline/rate-limit.ts';
import { idFrom } from '../../pipeline/validate.ts';
import { type Route, route } from '../../route.ts';
import { sessionList, signedIn, signedOut, signInMethods } from './schemas.ts';
import { listedView, ownerOf, signedInView } from './view.ts';

/** A person signs in to the console with a key once. Then the browser has a cookie, and no page has the key. */
export const consoleSessionRoutes = ({ db, settings }: ApiDeps): Route[] => [
  route({
    method: 'post',
    path: '/api/console/session',
    auth: 'known',
    summary: 'Sign in to the console',
    description:
      'Sets the cookie of a session for the holder of the key. Changes then need the header `X-CSRF-Token`.',
    answers: { 201: signedIn },
    refuses: [],
    clientLimit: signInLimit(settings),
    handle: async ({ principal, headers, incoming }) => {
      const key = bearerToken(headers.authorization);
      if (key === undefined)
        throw new DomainError('session_required', 'Sign in with a key: Authorization: Bearer …');
      const owner = ownerOf(principal);
      const { session, cookie } = await signInBrowser(db, incoming, settings, { owner, key });
      return { status: 201, body: signedInView(principal, session), cookie };
    },
  }),
  route({
    method: 'get',
    path: '/api/console/sign-in-methods',
    auth: 'none',
    summary: 'Show how a person can sign in, and to what kind of installation',
    answers: { 200: signInMethods },
    refuses: [],
    standsAlone: true,
    handle: async () => ({
      status: 200,
      body: {
        key: true,
        identity_provider: settings.oidc ? START_PATH : null,
        sandbox: settings.sandbox,
        explorers: settings.explorers,
      },
    }),
  }),
  route({
    method: 'get',
    path: '/api/console/session',
    auth: 'known',
    summary: 'Show who is signed in',
    answers: { 200: signedIn },
    refuses: [],
    handle: async ({ principal, session }) => ({ status: 200, body: signedInView(principal, session) }),
  }),
  route({
    method: 'delete',
    path: '/api/console/session',
    auth: 'known',
    summary: 'Sign out',
    description: 'Ends the session of the cookie.',
    answers: { 200: signedOut },
    refuses: [],
    handle: async ({ session, incoming }) => {
      if (!session) throw new DomainError('session_required');
      await endSession(db, session.token);
      const cookie = sessionCookie(incoming, null, settings);
      return { status: 200, body: { ok: true, ended: 1 }, cookie };
    },
  }),
  route({
    method: 'get',
    path: '/api/console/sessions',
    auth: 'known',
    summary: 'List the caller’s open sessions',
    description: 'The last used ones first, at most 100. A key can call this too.',
    answers: { 200: sessionList },
    refuses: [],
    handle: async ({ principal, session }) => {
      const open = await listSessions(db, ownerOf(principal), settings.session);
      return { status: 200, body: { sessions: open.map((one) => listedView(one, session)) } };
    },
  }),
  route({
    method: 'delete',
    path: '/api/console/sessions/:id',
    auth: 'known',
    summary: 'End one of the caller’s sessions',
    answers: { 200: signedOut },
    refuses: ['not_found'],
    handle: async ({ params, principal, session, incoming }) => {
      const id = idFrom(params.id);
      if (!(await endOwnSession(db, ownerOf(principal), id)))
        throw new DomainError('not_found', `You have no open session ${id}`);
      const body = { ok: true, ended: 1 } as const;
      if (session?.sessionId !== id) return { status: 200, body };
      return { status: 200, body, cookie: sessionCookie(incoming, null, settings) };
    },
  }),
  route({
    method: 'delete',
    path: '/api/console/sessions',
    auth: 'known',
    summary: 'Sign out everywhere',
    description: 'Ends all sessions of the caller, in every browser. A key can call this too.',
    answers: { 200: signedOut },
    refuses: [],
    handle: async ({ principal, incoming }) => {
      const ended = await endAllSessions(db, ownerOf(principal));
      return { status: 200, body: { ok: true, ended }, cookie: sessionCookie(incoming, null, settings) };
    },
  }),
];
