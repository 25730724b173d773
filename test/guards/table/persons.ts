import { inFile } from '../guard.ts';

const APPROVALS = 'src/api/approvals/approvals.ts';
const PROPOSERS = 'test/attacks/proposers.test.ts';
const PERMISSION = 'src/api/pipeline/permission.ts';
const PERMISSIONS = 'test/attacks/permissions.test.ts';
const SCOPES = 'test/attacks/scopes.test.ts';
const AUTHENTICATE = 'src/api/pipeline/authenticate.ts';
const FOUR_EYES = 'test/attacks/approvals.test.ts';
const AUDITED = 'test/attacks/audit.test.ts';
const MASKING = 'test/attacks/masking.test.ts';

/** What a person or a key may do, what needs two persons, and the record of both. */
export const PERSONS = [
  ...inFile(APPROVALS, PROPOSERS, [
    ['approvals: a posting in the ledger is not rejected', ' and not (${IS_POSTED})', '',
      'is not rejected if its posting is in the ledger'],
    ['four eyes: one approval is carried out at a time',
      ' and (attempt_until is null or attempt_until < now())', '',
      'is not rejected while an attempt is under way']]),
  ...inFile(PERMISSION, PERMISSIONS, [
    ['persons: a role opens only its own routes', 'if (permission && !mayDo(admin.role, permission))',
      "if (permission && admin.role === ('nobody' as string))",
      'lets in exactly the roles that have its permission']]),
  ...inFile('src/api/pipeline/propose.ts', PROPOSERS, [
    ['approval: a proposal shows only what will be carried out',
      'filter(([key]) => Object.hasOwn(read, key))', 'filter(([key]) => key in read || key !== undefined)',
      'a proposal shows no key that its request ignores']]),
  ...inFile('src/http/access/find-admin.ts', PERMISSIONS, [
    ['persons: a deactivated admin has no access', 'and is_active and (expires_at is null',
      'and (expires_at is null', 'is refused once its admin is deactivated, for good'],
    ['persons: an admin’s key expires', ' and (expires_at is null or expires_at > now())', '',
      'is refused from its expiry on, and again accepted with a later one'],
    ['persons: an admin’s key works from its addresses only', 'return isAllowedFrom(allowedIps, address) ?',
      'return isAllowedFrom(null, address) ?',
      'is accepted only from its addresses, in every spelling of them'],
    ['persons: what pages read is no use of a key',
      'return allowed(await (keyHash ? findByKey(db, keyHash) : findById(db, id)), address);',
      'return noted(db, await (keyHash ? findByKey(db, keyHash) : findById(db, id)), address);',
      'was used when it was sent: the pages of the console read by themselves']]),
  ...inFile('src/api/schemas/key-limits.ts', PERMISSIONS, [
    ['persons: a key cannot get an expiry in the past', 'at.getTime() > Date.now()',
      'at.getTime() !== Date.now()', 'cannot get an expiry in the past, neither a new one nor a changed one']]),
  ...inFile('src/http/requests.ts', PERMISSIONS, [
    ['persons: each use of the root key is counted for the alert', '      if (isRoot) root.inc();\n',
      '      if (isRoot && seconds < 0) root.inc();\n', 'of the settings is counted at each use']]),
  ...inFile(PERMISSION, SCOPES, [
    ['scopes: a key opens only the routes of its scopes', 'if (scope && !hasScope(agent.scopes, scope))',
      "if (scope && scope === ('nothing' as string) && !hasScope(agent.scopes, scope))",
      'opens the routes of its scopes, and is refused on all others']]),
  ...inFile('src/http/access/find-caller.ts', SCOPES, [
    ['scopes: an agent’s key expires', ' and (k.expires_at is null or k.expires_at > now())', '',
      'is refused from its expiry on']]),
  ...inFile(AUTHENTICATE, SCOPES, [
    ['scopes: an agent’s key works from its addresses only',
      'if (!isAllowedFrom(agent.allowed_ips, calledFrom)) {',
      'if (agent.allowed_ips !== null && !isAllowedFrom(null, calledFrom)) {',
      'is accepted only from its addresses']]),
  ...inFile('src/http/access/ended-access.ts', 'test/attacks/open-sockets.test.ts', [
    ['keys: a socket closes when the key that opened it ends', 'where k.id = held.lp_id and ${hasSecret',
      'where k.id = held.lp_id or ${hasSecret', 'without an overlap closes the sockets of the old key']]),
  ...inFile('src/notify/webhooks/sealed-secret.ts', 'test/attacks/forged-webhooks.test.ts', [
    ['keys: an agent’s webhooks are signed with its own secret only',
      'const aadOf = ({ id }: SecretOwner): Buffer => Buffer.from(String(id));',
      'const aadOf = ({ kind }: SecretOwner): Buffer => Buffer.from(String(kind));',
      'of B, copied into the row of A, sign nothing']]),
  ...inFile('src/market/lps/warn-lp.ts', 'test/attacks/changed-addresses.test.ts', [
    ['keys: a new receive address is reported to its LP', "where '${event}' = any(hook.events)",
      "where '${event}' <> all(hook.events)", 'reports another address, and the first one of a token']]),
  ...inFile('src/api/pipeline/key-limit.ts', 'test/api/rate-limits.test.ts', [
    ['keys: every agent key has a limit of requests', 'const max = rate_limit ?? settings.limits.agent;',
      'const max = rate_limit ?? 0 * settings.limits.agent;', 'is that of the installation by default']]),
  ...inFile('src/http/access/agent-requests.ts', 'test/api/rate-limits.test.ts', [
    ['keys: an agent that has reached its limit waits',
      'where c.requests < $2::int or c.until <= clock_timestamp()',
      'where c.requests < $2::int + 9 or c.until <= clock_timestamp()',
      'begins again when its minute has ended']]),
  ...inFile(APPROVALS, FOUR_EYES, [
    ['four eyes: nobody approves an own proposal', "not ${isProposer('$admin')} and expires_at",
      '$admin::text is not null and expires_at', 'is never approved by its proposer, in no way'],
    ['four eyes: a proposal expires', ' and expires_at > now() and (', ' and (', 'expires after 24 hours'],
    ['four eyes: an approval is carried out once', "status = 'approved' and carried_out_at is null",
      "status = 'approved'", 'is carried out once, also when it adds an admin']]),
  ...inFile('src/api/approvals/proposer.ts', PROPOSERS, [
    ['four eyes: a person with a key and a sign-in at the provider is one person',
      "where 'admin:' || proposer.id = proposed_by and 'admin:' || decider.id",
      "where 'nobody' = proposed_by and 'admin:' || decider.id",
      'is not approved by its proposer’s other admin'],
    ['four eyes: nobody approves the proposal of an admin who has lost access',
      'and proposer.is_active\n      and (proposer.expires_at is null or proposer.expires_at > now()) and',
      'and', 'is approved by nobody, and changes nothing'],
    ['four eyes: nobody approves the proposal of an admin who has lost the permission',
      'proposer.role = any (${roles}::text[])', '${roles}::text[] is not null',
      'is approved by nobody, and changes nothing']]),
  ...inFile('src/api/resources/approvals/routes.ts', FOUR_EYES, [
    ['four eyes: an approver needs the permission of the request', '        admit(proposed, principal);\n',
      '', 'is approved by nobody whose role lacks the permission of the request']]),
  ...inFile('src/api/resources/withdrawals/routes.ts', FOUR_EYES, [
    ['four eyes: nobody is asked to approve a withdrawal that is decided', '        refuseDecided(asked);\n',
      "        if (asked.status !== 'paid') refuseDecided(asked);\n",
      'to note a withdrawal as paid, and the proposal shows it']]),
  ...inFile('src/api/resources/admin-orders/routes.ts', FOUR_EYES, [
    ['four eyes: a resolution with a slash needs two persons',
      'needed: ({ body, query }) => !query.dry_run && Number(body.slash_usd) > 0,',
      'needed: ({ body }) => Number(body.slash_usd) < 0,',
      'to resolve a dispute with a slash, and to compensate who was harmed']]),
  ...inFile('src/api/resources/users/routes.ts', FOUR_EYES, [
    ['four eyes: the removal of personal data needs two persons', 'needed: () => true,',
      'needed: () => false,', 'to remove the personal data of a user']]),
  ...inFile('src/api/resources/admin-orders/routes.ts', 'test/system/chains/named-transactions.test.ts', [
    ['admin: a malformed transaction does not end a dispute',
      '        requireHash(order, tx_hash);\n        return commands', '        return commands',
      'a malformed hash is refused, also before another admin is asked'],
    ['four eyes: nobody is asked to approve a resolution with a malformed transaction',
      '    requireHash(order, tx_hash);\n    return { outcome,', '    return { outcome,',
      'a malformed hash is refused, also before another admin is asked']]),
  ...inFile('src/api/resources/admins/routes.ts', FOUR_EYES, [
    ['four eyes: nobody removes the limits of an access alone',
      ' || expires_at !== undefined || allowed_ips !== undefined;',
      ' || (expires_at === undefined && allowed_ips === undefined && role !== undefined);',
      'to give back an access that has expired, or that one address has'],
    ['four eyes: nobody becomes another person by another name alone',
      '  name !== undefined || role !== undefined', '  name === null || role !== undefined',
      'to give somebody another role, a key, or access at all'],
    ['four eyes: nobody is asked to approve a new admin with a taken name',
      '        await requireFreeName(db, name);\n        return null;', '        return null;',
      'to give a name, which nobody else may have when it is proposed'],
    ['four eyes: nobody is asked to approve a change to a taken name',
      'if (name !== undefined && isNameUnique(admin)) await', "if (name === '' && isNameUnique(admin)) await",
      'to give a name, which nobody else may have when it is proposed']]),
  ...inFile('src/db/entities/admin.ts', PERMISSIONS, [
    ['admins: two active persons cannot have one name', 'create unique index "admin_name_unique"',
      'create index "admin_name_unique"', 'has a name of its own, in any case and at the same time']]),
  ...inFile('src/db/migrations/audit.sql', AUDITED, [
    ['audit: events cannot be changed or deleted',
      'alter table audit_event enable always trigger audit_event_append_only;',
      'alter table audit_event disable trigger audit_event_append_only;', 'refuses to ']]),
  ...inFile('src/db/migrations/masking.sql', MASKING, [
    ['history: events of orders cannot be changed',
      'alter table order_event enable always trigger order_event_keep;',
      'alter table order_event disable trigger order_event_keep;', 'cannot be changed or deleted'],
    ['history: events of orders cannot be deleted',
      'alter table order_event enable always trigger order_event_append_only;',
      'alter table order_event disable trigger order_event_append_only;', 'cannot be changed or deleted'],
    ['history: masking removes only what identifies the recipient',
      'and to_jsonb(new) - kept = to_jsonb(old) - kept\n        and new.snapshot', 'and new.snapshot',
      'keep everything else of an order that is being masked'],
    ['masking: the recipient of an order never changes',
      'alter table orders enable always trigger orders_keep_recipient;',
      'alter table orders disable trigger orders_keep_recipient;', 'cannot change '],
    ['masking: a live order is not masked',
      "where id = any (ids) and masked_at is null and status in ('completed', 'cancelled')\n        and not exists",
      'where id = any (ids) and masked_at is null\n        and not exists',
      'of a live order is not masked, and the order cannot be called masked']]),
  ...inFile('src/orders/record-receipt.ts', MASKING, [
    ['masking: a masked order takes no new receipt', ' and masked_at is null', '',
      'a masked order takes no new receipt']]),
  ...inFile('src/api/pipeline/audited.ts', AUDITED, [
    ['audit: a refused attempt of an admin is recorded',
      'if (error instanceof Refusal && adminOf(principal))',
      'if (error instanceof Refusal && !adminOf(principal))',
      'of an admin is recorded, with what it was refused for']]),
  ...inFile(AUTHENTICATE, AUDITED, [
    ['audit: a change with an admin’s key from a wrong address is recorded',
      "    return audited({ ctx, route, principal, deps }, async () => {\n      throw new DomainError('admin_address_refused');\n    });\n",
      "    throw new DomainError('admin_address_refused');\n",
      'of an admin’s key from an address that it is not for is recorded']]),
  ...inFile('src/db/audit-context.ts', AUDITED, [
    ['audit: says why somebody’s access was ended',
      'return onBehalfOf({ ...(JSON.parse(context) as AuditContext), reason }, work);', 'return work();',
      'has the reason with which an admin ends an access']]),
  ...inFile('src/http/access/rotate-secret.ts', PERMISSIONS, [
    ['keys: a replaced key of an admin cannot renew itself', "'is_active and key_hash = $4'",
      "'is_active and $4::bytea is not null'", 'does not renew itself in its overlap']]),
];
