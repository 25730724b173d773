import type { Guard } from '../guard.ts';

const PERMISSION = 'src/api/pipeline/permission.ts';
const AUTHENTICATE = 'src/api/pipeline/authenticate.ts';
const FIND_ADMIN = 'src/http/access/find-admin.ts';
const FIND_CALLER = 'src/http/access/find-caller.ts';
const APPROVALS = 'src/api/approvals/approvals.ts';
const PROPOSER = 'src/api/approvals/proposer.ts';
const AUDIT = 'src/db/migrations/audit.sql';
const PERMISSIONS = 'test/attacks/permissions.test.ts';
const SCOPES = 'test/attacks/scopes.test.ts';
const OPEN_SOCKETS = 'test/attacks/open-sockets.test.ts';
const FORGED_WEBHOOKS = 'test/attacks/forged-webhooks.test.ts';
const CHANGED_ADDRESSES = 'test/attacks/changed-addresses.test.ts';
const FOUR_EYES = 'test/attacks/approvals.test.ts';
const PROPOSERS = 'test/system/attacks/proposers.test.ts';
const MASKING = 'test/attacks/masking.test.ts';
const AUDITED = 'test/attacks/audit.test.ts';

/** What a person or a key may do, what needs two persons, and the record of both. */
export const PERSONS: readonly Guard[] = [
  {
    name: 'approvals: a posting in the ledger is not rejected',
    file: APPROVALS,
    text: ' and not (${IS_POSTED})',
    without: '',
    attack: { file: PROPOSERS, name: 'is not rejected if its posting is in the ledger' },
  },
  {
    name: 'persons: a role opens only its own routes',
    file: PERMISSION,
    text: 'if (permission && !mayDo(admin.role, permission))',
    without: "if (permission && admin.role === ('nobody' as string))",
    attack: { file: PERMISSIONS, name: 'lets in exactly the roles that have its permission' },
  },
  {
    name: 'approval: a proposal shows only what will be carried out',
    file: 'src/api/pipeline/propose.ts',
    text: 'filter(([key]) => Object.hasOwn(read, key))',
    without: 'filter(([key]) => key in read || key !== undefined)',
    attack: { file: PROPOSERS, name: 'a proposal shows no key that its request ignores' },
  },
  {
    name: 'persons: a deactivated admin has no access',
    file: FIND_ADMIN,
    text: 'and is_active and (expires_at is null',
    without: 'and (expires_at is null',
    attack: { file: PERMISSIONS, name: 'is refused once its admin is deactivated, for good' },
  },
  {
    name: 'persons: an admin’s key expires',
    file: FIND_ADMIN,
    text: ' and (expires_at is null or expires_at > now())',
    without: '',
    attack: { file: PERMISSIONS, name: 'is refused from its expiry on, and again accepted with a later one' },
  },
  {
    name: 'persons: an admin’s key works from its addresses only',
    file: FIND_ADMIN,
    text: 'return isAllowedFrom(allowedIps, address) ?',
    without: 'return isAllowedFrom(null, address) ?',
    attack: { file: PERMISSIONS, name: 'is accepted only from its addresses, in every spelling of them' },
  },
  {
    name: 'persons: a key cannot get an expiry in the past',
    file: 'src/api/schemas/key-limits.ts',
    text: 'at.getTime() > Date.now()',
    without: 'at.getTime() !== Date.now()',
    attack: {
      file: PERMISSIONS,
      name: 'cannot get an expiry in the past, neither a new one nor a changed one',
    },
  },
  {
    name: 'persons: each use of the root key is counted for the alert',
    file: 'src/http/requests.ts',
    text: '      if (isRoot) root.inc();\n',
    without: '      if (isRoot && seconds < 0) root.inc();\n',
    attack: { file: PERMISSIONS, name: 'of the settings is counted at each use' },
  },
  {
    name: 'persons: what pages read is no use of a key',
    file: FIND_ADMIN,
    text: 'return allowed(await (keyHash ? findByKey(db, keyHash) : findById(db, id)), address);',
    without: 'return noted(db, await (keyHash ? findByKey(db, keyHash) : findById(db, id)), address);',
    attack: {
      file: PERMISSIONS,
      name: 'was used when it was sent: the pages of the console read by themselves',
    },
  },
  {
    name: 'scopes: a key opens only the routes of its scopes',
    file: PERMISSION,
    text: 'if (scope && !hasScope(agent.scopes, scope))',
    without: "if (scope && scope === ('nothing' as string) && !hasScope(agent.scopes, scope))",
    attack: { file: SCOPES, name: 'opens the routes of its scopes, and is refused on all others' },
  },
  {
    name: 'scopes: an agent’s key expires',
    file: FIND_CALLER,
    text: ' and (k.expires_at is null or k.expires_at > now())',
    without: '',
    attack: { file: SCOPES, name: 'is refused from its expiry on' },
  },
  {
    name: 'scopes: an agent’s key works from its addresses only',
    file: AUTHENTICATE,
    text: 'if (!isAllowedFrom(agent.allowed_ips, calledFrom)) {',
    without: 'if (agent.allowed_ips !== null && !isAllowedFrom(null, calledFrom)) {',
    attack: { file: SCOPES, name: 'is accepted only from its addresses' },
  },
  {
    name: 'keys: a socket closes when the key that opened it ends',
    file: 'src/http/access/ended-access.ts',
    text: 'where k.id = held.lp_id and ${hasSecret',
    without: 'where k.id = held.lp_id or ${hasSecret',
    attack: { file: OPEN_SOCKETS, name: 'without an overlap closes the sockets of the old key' },
  },
  {
    name: 'keys: an agent’s webhooks are signed with its own secret only',
    file: 'src/notify/webhooks/sealed-secret.ts',
    text: 'const aadOf = ({ id }: SecretOwner): Buffer => Buffer.from(String(id));',
    without: 'const aadOf = ({ kind }: SecretOwner): Buffer => Buffer.from(String(kind));',
    attack: { file: FORGED_WEBHOOKS, name: 'of B, copied into the row of A, sign nothing' },
  },
  {
    name: 'keys: a new receive address is reported to its LP',
    file: 'src/market/lps/warn-lp.ts',
    text: "where '${event}' = any(hook.events)",
    without: "where '${event}' <> all(hook.events)",
    attack: { file: CHANGED_ADDRESSES, name: 'reports another address, and the first one of a token' },
  },
  {
    name: 'keys: every agent key has a limit of requests',
    file: 'src/api/pipeline/key-limit.ts',
    text: 'const max = rate_limit ?? settings.limits.agent;',
    without: 'const max = rate_limit ?? 0 * settings.limits.agent;',
    attack: { file: 'test/api/rate-limits.test.ts', name: 'is that of the installation by default' },
  },
  {
    name: 'keys: an agent that has reached its limit waits',
    file: 'src/http/access/agent-requests.ts',
    text: 'where c.requests < $2::int or c.until <= clock_timestamp()',
    without: 'where c.requests < $2::int + 9 or c.until <= clock_timestamp()',
    attack: { file: 'test/api/rate-limits.test.ts', name: 'begins again when its minute has ended' },
  },
  {
    name: 'four eyes: nobody approves an own proposal',
    file: APPROVALS,
    text: "not ${isProposer('$admin')} and expires_at",
    without: '$admin::text is not null and expires_at',
    attack: { file: FOUR_EYES, name: 'is never approved by its proposer, in no way' },
  },
  {
    name: 'four eyes: a person with a key and a sign-in at the provider is one person',
    file: PROPOSER,
    text: "where 'admin:' || proposer.id = proposed_by and 'admin:' || decider.id",
    without: "where 'nobody' = proposed_by and 'admin:' || decider.id",
    attack: { file: PROPOSERS, name: 'is not approved by its proposer’s other admin' },
  },
  {
    name: 'four eyes: nobody approves the proposal of an admin who has lost access',
    file: PROPOSER,
    text: 'and proposer.is_active\n      and (proposer.expires_at is null or proposer.expires_at > now()) and',
    without: 'and',
    attack: { file: PROPOSERS, name: 'is approved by nobody, and changes nothing' },
  },
  {
    name: 'four eyes: nobody approves the proposal of an admin who has lost the permission',
    file: PROPOSER,
    text: 'proposer.role = any (${roles}::text[])',
    without: '${roles}::text[] is not null',
    attack: { file: PROPOSERS, name: 'is approved by nobody, and changes nothing' },
  },
  {
    name: 'four eyes: a proposal expires',
    file: APPROVALS,
    text: ' and expires_at > now() and (',
    without: ' and (',
    attack: { file: FOUR_EYES, name: 'expires after 24 hours' },
  },
  {
    name: 'four eyes: an approval is carried out once',
    file: APPROVALS,
    text: "status = 'approved' and carried_out_at is null",
    without: "status = 'approved'",
    attack: { file: FOUR_EYES, name: 'is carried out once, also when it adds an admin' },
  },
  {
    name: 'four eyes: one approval is carried out at a time',
    file: APPROVALS,
    text: ' and (attempt_until is null or attempt_until < now())',
    without: '',
    attack: { file: PROPOSERS, name: 'is not rejected while an attempt is under way' },
  },
  {
    name: 'four eyes: an approver needs the permission of the request',
    file: 'src/api/resources/approvals/routes.ts',
    text: '        admit(proposed, principal);\n',
    without: '',
    attack: { file: FOUR_EYES, name: 'is approved by nobody whose role lacks the permission of the request' },
  },
  {
    name: 'four eyes: nobody is asked to approve a withdrawal that is decided',
    file: 'src/api/resources/withdrawals/routes.ts',
    text: '        refuseDecided(asked);\n',
    without: "        if (asked.status !== 'paid') refuseDecided(asked);\n",
    attack: { file: FOUR_EYES, name: 'to note a withdrawal as paid, and the proposal shows it' },
  },
  {
    name: 'four eyes: a resolution with a slash needs two persons',
    file: 'src/api/resources/admin-orders/routes.ts',
    text: 'needed: ({ body, query }) => !query.dry_run && Number(body.slash_usd) > 0,',
    without: 'needed: ({ body }) => Number(body.slash_usd) < 0,',
    attack: { file: FOUR_EYES, name: 'to resolve a dispute with a slash, and to compensate who was harmed' },
  },
  {
    name: 'four eyes: the removal of personal data needs two persons',
    file: 'src/api/resources/users/routes.ts',
    text: 'needed: () => true,',
    without: 'needed: () => false,',
    attack: { file: FOUR_EYES, name: 'to remove the personal data of a user' },
  },
  {
    name: 'admin: a malformed transaction does not end a dispute',
    file: 'src/api/resources/admin-orders/routes.ts',
    text: '        requireHash(order, tx_hash);\n        return commands',
    without: '        return commands',
    attack: {
      file: 'test/system/chains/named-transactions.test.ts',
      name: 'a malformed hash is refused, also before another admin is asked',
    },
  },
  {
    name: 'four eyes: nobody is asked to approve a resolution with a malformed transaction',
    file: 'src/api/resources/admin-orders/routes.ts',
    text: '    requireHash(order, tx_hash);\n    return { outcome,',
    without: '    return { outcome,',
    attack: {
      file: 'test/system/chains/named-transactions.test.ts',
      name: 'a malformed hash is refused, also before another admin is asked',
    },
  },
  {
    name: 'four eyes: nobody removes the limits of an access alone',
    file: 'src/api/resources/admins/routes.ts',
    text: ' || expires_at !== undefined || allowed_ips !== undefined;',
    without: ' || (expires_at === undefined && allowed_ips === undefined && role !== undefined);',
    attack: { file: FOUR_EYES, name: 'to give back an access that has expired, or that one address has' },
  },
  {
    name: 'four eyes: nobody becomes another person by another name alone',
    file: 'src/api/resources/admins/routes.ts',
    text: '  name !== undefined || role !== undefined',
    without: '  name === null || role !== undefined',
    attack: { file: FOUR_EYES, name: 'to give somebody another role, a key, or access at all' },
  },
  {
    name: 'four eyes: nobody is asked to approve a new admin with a taken name',
    file: 'src/api/resources/admins/routes.ts',
    text: '        await requireFreeName(db, name);\n        return null;',
    without: '        return null;',
    attack: { file: FOUR_EYES, name: 'to give a name, which nobody else may have when it is proposed' },
  },
  {
    name: 'four eyes: nobody is asked to approve a change to a taken name',
    file: 'src/api/resources/admins/routes.ts',
    text: 'if (name !== undefined && isNameUnique(admin)) await',
    without: "if (name === '' && isNameUnique(admin)) await",
    attack: { file: FOUR_EYES, name: 'to give a name, which nobody else may have when it is proposed' },
  },
  {
    name: 'admins: two active persons cannot have one name',
    file: 'src/db/migrations/initial.sql',
    text: 'create unique index admin_name_unique',
    without: 'create index admin_name_unique',
    attack: {
      file: 'test/attacks/permissions.test.ts',
      name: 'has a name of its own, in any case and at the same time',
    },
  },
  {
    name: 'audit: events cannot be changed or deleted',
    file: AUDIT,
    text: 'alter table audit_event enable always trigger audit_event_append_only;',
    without: 'alter table audit_event disable trigger audit_event_append_only;',
    attack: { file: AUDITED, name: 'refuses to ' },
  },
  {
    name: 'history: events of orders cannot be changed',
    file: 'src/db/migrations/masking.sql',
    text: 'alter table order_event enable always trigger order_event_keep;',
    without: 'alter table order_event disable trigger order_event_keep;',
    attack: { file: MASKING, name: 'cannot be changed or deleted' },
  },
  {
    name: 'history: events of orders cannot be deleted',
    file: 'src/db/migrations/masking.sql',
    text: 'alter table order_event enable always trigger order_event_append_only;',
    without: 'alter table order_event disable trigger order_event_append_only;',
    attack: { file: MASKING, name: 'cannot be changed or deleted' },
  },
  {
    name: 'history: masking removes only what identifies the recipient',
    file: 'src/db/migrations/masking.sql',
    text: 'and to_jsonb(new) - kept = to_jsonb(old) - kept\n        and new.snapshot',
    without: 'and new.snapshot',
    attack: { file: MASKING, name: 'keep everything else of an order that is being masked' },
  },
  {
    name: 'masking: the recipient of an order never changes',
    file: 'src/db/migrations/masking.sql',
    text: 'alter table orders enable always trigger orders_keep_recipient;',
    without: 'alter table orders disable trigger orders_keep_recipient;',
    attack: { file: MASKING, name: 'cannot change ' },
  },
  {
    name: 'masking: a live order is not masked',
    file: 'src/db/migrations/masking.sql',
    text: "where id = any (ids) and masked_at is null and status in ('completed', 'cancelled')\n        and not exists",
    without: 'where id = any (ids) and masked_at is null\n        and not exists',
    attack: { file: MASKING, name: 'of a live order is not masked, and the order cannot be called masked' },
  },
  {
    name: 'masking: a masked order takes no new receipt',
    file: 'src/orders/record-receipt.ts',
    text: ' and masked_at is null',
    without: '',
    attack: { file: MASKING, name: 'a masked order takes no new receipt' },
  },
  {
    name: 'audit: a refused attempt of an admin is recorded',
    file: 'src/api/pipeline/audited.ts',
    text: 'if (error instanceof Refusal && adminOf(principal))',
    without: 'if (error instanceof Refusal && !adminOf(principal))',
    attack: { file: AUDITED, name: 'of an admin is recorded, with what it was refused for' },
  },
  {
    name: 'audit: a change with an admin’s key from a wrong address is recorded',
    file: AUTHENTICATE,
    text: "    return audited({ ctx, route, principal, deps }, async () => {\n      throw new DomainError('admin_address_refused');\n    });\n",
    without: "    throw new DomainError('admin_address_refused');\n",
    attack: { file: AUDITED, name: 'of an admin’s key from an address that it is not for is recorded' },
  },
  {
    name: 'audit: says why somebody’s access was ended',
    file: 'src/db/audit-context.ts',
    text: 'return onBehalfOf({ ...(JSON.parse(context) as AuditContext), reason }, work);',
    without: 'return work();',
    attack: {
      file: 'test/attacks/audit.test.ts',
      name: 'that ends somebody’s access says why, if its admin does',
    },
  },
  {
    name: 'keys: a replaced key of an admin cannot renew itself',
    file: 'src/http/access/rotate-secret.ts',
    text: "'is_active and key_hash = $4'",
    without: "'is_active and $4::bytea is not null'",
    attack: { file: PERMISSIONS, name: 'does not renew itself in its overlap' },
  },
];
