/** SQL about the proposer of the row `approval`. */

/**
 * Whether the proposer may still make the request. A person who has left must not act through a proposal that waits.
 * `roles`: the parameter with the roles that may make it. `root` may make every request.
 */
export const proposerMay = (roles: string): string => `
  (proposed_by = 'admin:root' or exists (
    select from admin proposer
    where 'admin:' || proposer.id = proposed_by and proposer.is_active
      and (proposer.expires_at is null or proposer.expires_at > now()) and proposer.role = any (${roles}::text[])
  ))`;

/**
 * Whether the admin `decider`, such as `admin:3`, is the person who proposed. A person who has a key and signs in at the
 * identity provider is two admins, and only their name shows that. Two admins of one kind have different names, or the
 * provider says that they are two persons.
 */
export const isProposer = (decider: string): string => `
  (proposed_by = ${decider} or exists (
    select from admin proposer join admin decider
      on lower(proposer.name) collate "C" = lower(decider.name) collate "C"
      and (proposer.oidc_subject is null) <> (decider.oidc_subject is null)
    where 'admin:' || proposer.id = proposed_by and 'admin:' || decider.id = ${decider}
  ))`;
