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
