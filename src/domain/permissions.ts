/** What an admin may do, by role. The routes name the permission that they need; docs/access.md shows this table. */

/** The roles of admins, from the least to the most powerful. */
export const ROLES = ['viewer', 'support', 'risk', 'treasurer', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** Each permission, with what it allows. */
export const PERMISSIONS = {
  read: 'read everything that admins can see, except the list of admins',
  'users:create': 'create users',
  'orders:operate': 'extend, freeze, unfreeze and cancel orders, and verify their transactions again',
  'webhooks:redeliver': 'send webhooks again',
  'lps:manage': 'approve and suspend LPs, set their tiers, forgive their strikes, rotate their keys',
  'pauses:manage': 'pause and resume payments and claims, open and close incidents',
  'orders:resolve': 'resolve disputes, with or without a slash',
  'withdrawals:decide': 'note withdrawals as paid, or reject them',
  'ledger:post': 'post payouts, compensations and adjustments to the ledger',
  'users:forget': 'remove the personal data of a user’s ended orders',
  'keys:manage': 'issue, change, rotate and deactivate agent keys',
  'admins:manage': 'add, change and deactivate admins, and rotate their keys',
} as const;
export type Permission = keyof typeof PERMISSIONS;

const ALL = Object.keys(PERMISSIONS) as Permission[];

const ALLOWED: Record<Role, readonly Permission[]> = {
  viewer: ['read'],
  support: ['read', 'users:create', 'orders:operate', 'webhooks:redeliver'],
  risk: ['read', 'lps:manage', 'pauses:manage'],
  treasurer: ['read', 'orders:resolve', 'withdrawals:decide', 'ledger:post'],
  owner: ALL,
};

export const mayDo = (role: Role, permission: Permission): boolean => ALLOWED[role].includes(permission);

/** The roles that have a permission. */
export const rolesWith = (permission: Permission): Role[] => ROLES.filter((role) => mayDo(role, permission));
