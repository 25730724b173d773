import type { Guard } from '../guard.ts';

const PIPELINE = 'src/api/pipeline/session.ts';
const SESSIONS = 'src/http/access/console-session.ts';
const USES = 'test/attacks/console-sessions.test.ts';
const OIDC = 'test/attacks/oidc.test.ts';
const PROVIDER = 'src/api/pages/provider-sign-in.ts';
const ENDS = 'test/attacks/console-session-ends.test.ts';

/** Who may use a session of the console, and when it ends. */
export const SESSION_GUARDS: readonly Guard[] = [
  {
    name: 'sessions: the cookie counts only for pages of this service',
    file: PIPELINE,
    text: '  if (!isFromOwnPage(ctx.req, settings)) return { session: null, refusal: CROSS_ORIGIN, isTried: false };\n',
    without: '',
    attack: { file: USES, name: 'is not served with the cookie, even with the CSRF token' },
  },
  {
    name: 'sessions: a change needs the CSRF token',
    file: PIPELINE,
    text: "if (isChange && !sameSecret(ctx.get('x-csrf-token'), session.csrfToken))",
    without: "if (isChange && sameSecret('a', session.csrfToken))",
    attack: { file: USES, name: 'cannot change anything with the cookie that a browser adds' },
  },
  {
    name: 'sessions: two cookies of the name are none',
    file: 'src/http/cookies.ts',
    text: 'return values.length === 1 ? values[0] : undefined;',
    without: 'return values[0];',
    attack: { file: USES, name: 'with two session cookies is not signed in' },
  },
  {
    name: 'sessions: a sign-in ends the session that the browser had',
    file: 'src/http/access/console-session.ts',
    text: '  if (replaced !== undefined) await endSession(db, replaced);\n',
    without: '  if (replaced === key) await endSession(db, replaced);\n',
    attack: { file: USES, name: 'gets a new one at the sign-in' },
  },
  {
    name: 'sessions: only a signed-in LP is “me”',
    file: 'src/api/pipeline/credentials.ts',
    text: 'const isOwn = session !== null && (pathKey === undefined || pathKey === OWN);',
    without: 'const isOwn = pathKey !== undefined && (session !== null || pathKey === OWN);',
    attack: { file: USES, name: 'opens exactly the routes of the key' },
  },
  {
    name: 'sessions: over https the cookie belongs to this host',
    file: SESSIONS,
    text: "(secure ? '__Host-corridor_session' : 'corridor_session')",
    without: "(secure ? 'corridor_session' : 'corridor_session')",
    attack: { file: USES, name: 'over https the cookie is for this host' },
  },
  {
    name: 'sessions: an unused one ends',
    file: SESSIONS,
    text: " and last_used_at > now() - ${idle} * interval '1 millisecond'`;",
    without: " and now() < now() + ${idle} * interval '1 millisecond'`;",
    attack: { file: ENDS, name: 'when it was not used for 30 minutes' },
  },
  {
    name: 'sessions: an old one ends',
    file: SESSIONS,
    text: 'ended_at is null and expires_at > now() and last_used_at',
    without: 'ended_at is null and last_used_at',
    attack: { file: ENDS, name: '12 hours after the sign-in' },
  },
  {
    name: 'sessions: a sign-out ends it',
    file: SESSIONS,
    text: '  ended_at is null and expires_at > now() and last_used_at',
    without: '  expires_at > now() and last_used_at',
    attack: { file: ENDS, name: 'at the sign-out, and only this one' },
  },
  {
    name: 'sessions: only the owner ends one by its id',
    file: 'src/http/access/own-sessions.ts',
    text: 'where id = $1 and kind = $2 and principal_id is not distinct from $3 and ended_at is null',
    without: 'where id = $1 and ($2::varchar, $3::bigint) is not null and ended_at is null',
    attack: { file: ENDS, name: 'one by its id, and nobody else’s' },
  },
  {
    name: 'sessions: the list has only the owner’s',
    file: 'src/http/access/own-sessions.ts',
    text: "where kind = '${kind}' and principal_id is not distinct from $1 and",
    without: "where kind = '${kind}' and $1::bigint is not distinct from $1 and",
    attack: { file: ENDS, name: 'one by its id, and nobody else’s' },
  },
  {
    name: 'sessions: that of the root key ends with that key',
    file: 'src/http/access/find-admin.ts',
    text: 'return isOfRootKey(credential, rootKeys) ? ROOT : null;',
    without: 'return isOfRootKey(credential, rootKeys) ? ROOT : ROOT;',
    attack: { file: ENDS, name: 'of the root key with that key' },
  },
  {
    name: 'sessions: a socket opens only from pages of this service',
    file: 'src/notify/feed/socket-caller.ts',
    text: 'request.headers.origin === undefined || !isFromOwnPage(request, settings)',
    without: 'request.headers.cookie === undefined || !settings',
    attack: { file: ENDS, name: 'opens for a signed-in LP, and only from a page of this service' },
  },
  {
    name: 'sessions: a socket closes with its session',
    file: 'src/http/access/ended-access.ts',
    text: 'or held.session_id is not null and not exists',
    without: 'or held.session_id is null and not exists',
    attack: { file: ENDS, name: 'closes when the session ends' },
  },
  {
    name: 'identity provider: the callback belongs to the browser that began',
    file: PROVIDER,
    text: 'if (!isOwn || !(await takeSignIn',
    without: 'if (!(await takeSignIn',
    attack: { file: OIDC, name: 'of another browser, or of nobody, is refused' },
  },
  {
    name: 'identity provider: a callback works once',
    file: 'src/http/access/provider-admin.ts',
    text: "(await db.query('oidc-take', TAKE, [tokenHash])).length > 0;",
    without: "(await db.query('oidc-take', TAKE, [tokenHash])).length >= 0;",
    attack: { file: OIDC, name: 'is refused ten minutes after its start' },
  },
  {
    name: 'identity provider: no role without a group that has one',
    file: PROVIDER,
    text: 'const role = mappedRole(identity.groups, groupRoles);',
    without: "const role = mappedRole(identity.groups, groupRoles) ?? 'viewer';",
    attack: { file: OIDC, name: 'without a group that has a role is refused' },
  },
  {
    name: 'identity provider: a deactivated admin stays out',
    file: 'src/http/access/provider-admin.ts',
    text: '  where admin.is_active\n  returning id`;',
    without: '  returning id`;',
    attack: { file: OIDC, name: 'stays out once an owner has deactivated them' },
  },
  {
    name: 'sessions: a link to a block explorer runs no script in the page',
    file: 'src/settings/explorers.ts',
    text: 'const PAGE = /^https?:',
    without: 'const PAGE = /^\\w+:',
    attack: { file: 'test/unit/explorer-settings.test.ts', name: 'stops the start' },
  },
  {
    name: 'sessions: only the cookie of an open session learns which key has ended',
    file: 'src/http/access/console-session.ts',
    text: 'from session where token_hash = any ($1::bytea[]) and ${isLive(',
    without: 'from session where token_hash = any ($1::bytea[]) or ${isLive(',
    attack: { file: 'test/attacks/ended-keys.test.ts', name: 'is not named to others' },
  },
  {
    name: 'sessions: a key that gives access is not named as ended',
    file: 'src/http/access/ended-key.ts',
    text: "case when ${isReplaced('lp')} then 'replaced' end as ending",
    without: "case when $2::bytea is not null then 'replaced' end as ending",
    attack: {
      file: 'test/attacks/ended-keys.test.ts',
      name: 'is not confused with a session of another kind',
    },
  },
  {
    name: 'sessions: the console’s own requests are no use of the key',
    file: 'src/api/pipeline/authenticate.ts',
    text: "if (!session) await noteKeyUse(db, 'agent_key', agent, calledFrom);",
    without: "await noteKeyUse(db, 'agent_key', agent, calledFrom);",
    attack: { file: 'test/api/own-key.test.ts', name: 'counts only requests with the key itself' },
  },
];
