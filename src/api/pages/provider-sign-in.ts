import { createHmac, randomBytes } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import {
  createIdentityProvider,
  type Identity,
  type SignInSecrets,
} from '../../adapters/identity-provider.ts';
import { type AuditContext, onBehalfOf } from '../../db/audit-context.ts';
import { mappedRole } from '../../domain/mapped-role.ts';
import { signInBrowser } from '../../http/access/console-session.ts';
import { findProviderAdmin, isElsewhere } from '../../http/access/find-admin.ts';
import { hashKey, sameSecret } from '../../http/access/keys.ts';
import {
  beginSignIn,
  endProviderSessions,
  refreshProviderAdmin,
  takeSignIn,
} from '../../http/access/provider-admin.ts';
import { clientAddress, exactAddress } from '../../http/client-address.ts';
import { cookieIn, setCookie } from '../../http/cookies.ts';
import { isHttps } from '../../http/own-page.ts';
import type { ApiDeps } from '../deps.ts';
import { recordRefusal } from '../pipeline/audited.ts';
import { countRequest, signInLimit } from '../pipeline/rate-limit.ts';
import { escaped, plainPage } from './plain-page.ts';

export const START_PATH = '/auth/oidc/start';
const CALLBACK_PATH = '/auth/oidc/callback';
const COOKIE_SECONDS = 600;

type Deps = Pick<ApiDeps, 'db' | 'settings'>;

/** Why nobody is signed in, for a person. */
class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';
  readonly status: number;
  constructor(status: number, message: string, cause?: unknown) {
    super(message, { cause });
    this.status = status;
  }
}

/** Signs admins in at the identity provider of the settings. Without one the pages do not exist. */
export function signsInAtProvider({ db, settings }: Deps): Middleware {
  const { oidc } = settings;
  if (!oidc) return (_, next) => next();
  const { groupRoles } = oidc;
  const provider = createIdentityProvider(oidc);
  const callbackUrl = settings.publicUrl + CALLBACK_PATH;

  return async (ctx, next) => {
    const serve = ctx.method === 'GET' && { [START_PATH]: start, [CALLBACK_PATH]: callback }[ctx.path];
    if (!serve) return next();
    ctx.state.route = ctx.path;
    try {
      const client = clientAddress(ctx.req, settings.trustProxyHops);
      await countRequest(ctx, db, signInLimit(settings), client);
      await serve(ctx);
    } catch (error) {
      if (!(error instanceof SignInRefusal)) throw error;
      ctx.state.log.warn({ err: error.cause ?? error }, 'a sign-in at the identity provider was refused');
      ctx.status = error.status;
      ctx.type = 'text/html; charset=utf-8';
      ctx.body = refusalPage(error.message);
    }
  };

  async function start(ctx: Context): Promise<void> {
    const token = randomBytes(32).toString('hex');
    const url = await provider.signInUrl(secretsOf(token), callbackUrl).catch((error) => {
      throw new SignInRefusal(502, 'The identity provider cannot be reached. Try again in a minute.', error);
    });
    await beginSignIn(db, hashKey(token));
    ctx.append('set-cookie', cookie(ctx, token, COOKIE_SECONDS));
    ctx.redirect(url.href);
  }

  async function callback(ctx: Context): Promise<void> {
    const token = cookieIn(ctx.req, cookieName(ctx)) ?? '';
    const isOwn = sameSecret(String(ctx.query.state), secretsOf(token).state);
    // The callback works once, also if the provider would accept its code again.
    if (!isOwn || !(await takeSignIn(db, hashKey(token))))
      throw new SignInRefusal(400, 'This sign-in is over, or began in another browser. Sign in again.');
    ctx.append('set-cookie', cookie(ctx, '', 0));
    const url = new URL(callbackUrl);
    url.search = ctx.search;
    const identity = await provider.identify(secretsOf(token), url).catch((error) => {
      throw new SignInRefusal(
        400,
        'The identity provider has not confirmed this sign-in. Sign in again.',
        error,
      );
    });
    ctx.append('set-cookie', await signIn(ctx, identity));
    ctx.redirect('/console');
  }

  /** Opens a session for the person, who has the role of their groups from now on. Returns its cookie. */
  async function signIn(ctx: Context, identity: Identity): Promise<string> {
    const address = exactAddress(ctx.req, settings.trustProxyHops);
    const base = { address, requestId: ctx.response.get('x-request-id'), action: `GET ${CALLBACK_PATH}` };
    const byProvider: AuditContext = { actor: 'oidc', name: identity.name, ...base };
    const refuse = (code: string, text: string): Promise<never> =>
      onBehalfOf(byProvider, async () => {
        await recordRefusal(db, '', code);
        throw new SignInRefusal(403, text);
      });

    const role = mappedRole(identity.groups, groupRoles);
    if (!role) {
      await onBehalfOf(byProvider, () => endProviderSessions(db, identity));
      return refuse(
        'no_role',
        `${identity.name}, none of your groups has a role in Corridor. Ask an owner of this installation.`,
      );
    }
    const id = await onBehalfOf(byProvider, () => refreshProviderAdmin(db, identity, role));
    const admin = id && (await findProviderAdmin(db, id, address));
    if (!admin) return refuse('deactivated', 'An owner has ended your access to Corridor.');
    if (isElsewhere(admin))
      return refuse(
        'admin_address_refused',
        'You may not sign in from this address. Use an allowed network.',
      );
    ctx.state.caller = `admin:${id}`;
    return onBehalfOf({ actor: `admin:${id}`, name: admin.name, role: admin.role, ...base }, async () => {
      const owner = { kind: 'admin', id } as const;
      return (await signInBrowser(db, ctx.req, settings, { owner, key: null })).cookie;
    });
  }

  function cookieName(ctx: Context): string {
    return isHttps(ctx.req, settings) ? '__Host-corridor_oidc' : 'corridor_oidc';
  }

  /** `Lax`, because the browser comes back from a page of the provider. */
  function cookie(ctx: Context, token: string, maxAge: number): string {
    const secure = isHttps(ctx.req, settings);
    return setCookie(cookieName(ctx), token, { maxAge, secure, sameSite: 'Lax', path: '/' });
  }
}

/** All follow from the token in the browser's cookie, so the database has none of them. */
function secretsOf(token: string): SignInSecrets {
  const derived = (what: string) => createHmac('sha256', token).update(what).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

const refusalPage = (message: string): string =>
  plainPage(
    'Not signed in · Corridor',
    `<h1>You are not signed in</h1>
      <p>${escaped(message)}</p>
      <p><a href="${START_PATH}">Sign in again</a>, or <a href="/console">use a key</a>.</p>`,
  );
