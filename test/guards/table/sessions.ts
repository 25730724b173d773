import { inFile } from '../guard.ts';

const USES = 'test/attacks/console-sessions.test.ts';
const SESSIONS = 'src/http/access/console-session.ts';
const ENDS = 'test/attacks/console-session-ends.test.ts';
const OIDC = 'test/attacks/oidc.test.ts';

/** Who may use a session of the console, and when it ends. */
export const SESSION_GUARDS = [
  ...inFile('src/api/pipeline/session.ts', USES, [
    ['sessions: the cookie counts only for pages of this service',
      '  if (!isFromOwnPage(ctx.req, settings)) return { session: null, refusal: CROSS_ORIGIN, isTried: false };\n',
      '', 'is not served with the cookie, even with the CSRF token'],
    ['sessions: a change needs the CSRF token',
      "if (isChange && !sameSecret(ctx.get('x-csrf-token'), session.csrfToken))",
      "if (isChange && sameSecret('a', session.csrfToken))",
      'cannot change anything with the cookie that a browser adds']]),
  ...inFile('src/http/cookies.ts', USES, [
    ['sessions: two cookies of the name are none', 'return values.length === 1 ? values[0] : undefined;',
      'return values[0];', 'with two session cookies is not signed in']]),
  ...inFile(SESSIONS, USES, [
    ['sessions: a sign-in ends the session that the browser had',
      '  if (replaced !== undefined) await endSession(db, replaced);\n',
      '  if (replaced === key) await endSession(db, replaced);\n', 'gets a new one at the sign-in'],
    ['sessions: over https the cookie belongs to this host',
      "(secure ? '__Host-corridor_session' : 'corridor_session')",
      "(secure ? 'corridor_session' : 'corridor_session')", 'over https the cookie is for this host']]),
  ...inFile('src/api/pipeline/credentials.ts', USES, [
    ['sessions: only a signed-in LP is “me”',
      'const isOwn = session !== null && (pathKey === undefined || pathKey === OWN);',
      'const isOwn = pathKey !== undefined && (session !== null || pathKey === OWN);',
      'opens exactly the routes of the key']]),
  ...inFile(SESSIONS, ENDS, [
    ['sessions: an unused one ends', " and last_used_at > now() - ${idle} * interval '1 millisecond'`;",
      " and now() < now() + ${idle} * interval '1 millisecond'`;", 'when it was not used for 30 minutes'],
    ['sessions: an old one ends', 'ended_at is null and expires_at > now() and last_used_at',
      'ended_at is null and last_used_at', '12 hours after the sign-in'],
    ['sessions: a sign-out ends it', '  ended_at is null and expires_at > now() and last_used_at',
      '  expires_at > now() and last_used_at', 'at the sign-out, and only this one']]),
  ...inFile('src/http/access/own-sessions.ts', ENDS, [
    ['sessions: only the owner ends one by its id',
      'where id = $1 and kind = $2 and principal_id is not distinct from $3 and ended_at is null',
      'where id = $1 and ($2::varchar, $3::bigint) is not null and ended_at is null',
      'one by its id, and nobody else’s'],
    ['sessions: the list has only the owner’s',
      "where kind = '${kind}' and principal_id is not distinct from $1 and",
      "where kind = '${kind}' and $1::bigint is not distinct from $1 and",
      'one by its id, and nobody else’s']]),
  ...inFile('src/http/access/find-admin.ts', ENDS, [
    ['sessions: that of the root key ends with that key',
      'return isOfRootKey(credential, rootKeys) ? ROOT : null;',
      'return isOfRootKey(credential, rootKeys) ? ROOT : ROOT;', 'of the root key with that key']]),
  ...inFile('src/notify/feed/socket-caller.ts', ENDS, [
    ['sessions: a socket opens only from pages of this service',
      'request.headers.origin === undefined || !isFromOwnPage(request, settings)',
      'request.headers.cookie === undefined || !settings',
      'opens for a signed-in LP, and only from a page of this service']]),
  ...inFile('src/http/access/ended-access.ts', ENDS, [
    ['sessions: a socket closes with its session', 'or held.session_id is not null and not exists',
      'or held.session_id is null and not exists', 'closes when the session ends']]),
  ...inFile('src/api/pages/provider-sign-in.ts', OIDC, [
    ['identity provider: the callback belongs to the browser that began', 'if (!isOwn || !(await takeSignIn',
      'if (!(await takeSignIn', 'of another browser, or of nobody, is refused'],
    ['identity provider: no role without a group that has one',
      'const role = mappedRole(identity.groups, groupRoles);',
      "const role = mappedRole(identity.groups, groupRoles) ?? 'viewer';",
      'without a group that has a role is refused']]),
  ...inFile('src/http/access/provider-admin.ts', OIDC, [
    ['identity provider: a callback works once',
      "(await db.query('oidc-take', TAKE, [tokenHash])).length > 0;",
      "(await db.query('oidc-take', TAKE, [tokenHash])).length >= 0;",
      'is refused ten minutes after its start'],
    ['identity provider: a deactivated admin stays out', '  where admin.is_active\n  returning id`;',
      '  returning id`;', 'stays out once an owner has deactivated them']]),
  ...inFile('src/settings/explorers.ts', 'test/unit/explorer-settings.test.ts', [
    ['sessions: a link to a block explorer runs no script in the page', 'const PAGE = /^https?:',
      'const PAGE = /^\\w+:', 'stops the start']]),
  ...inFile(SESSIONS, 'test/attacks/ended-keys.test.ts', [
    ['sessions: only the cookie of an open session learns which key has ended',
      'from session where token_hash = any ($1::bytea[]) and ${isLive(',
      'from session where token_hash = any ($1::bytea[]) or ${isLive(', 'is not named to others']]),
  ...inFile('src/http/access/ended-key.ts', 'test/attacks/ended-keys.test.ts', [
    ['sessions: a key that gives access is not named as ended',
      "case when ${isReplaced('lp')} then 'replaced' end as ending",
      "case when $2::bytea is not null then 'replaced' end as ending",
      'is not confused with a session of another kind']]),
  ...inFile('src/api/pipeline/authenticate.ts', 'test/api/own-key.test.ts', [
    ['sessions: the console’s own requests are no use of the key',
      "if (!session) await noteKeyUse(db, 'agent_key', agent, calledFrom);",
      "await noteKeyUse(db, 'agent_key', agent, calledFrom);", 'counts only requests with the key itself']]),
];
