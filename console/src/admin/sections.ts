import './admin.css';
import type { Section } from '../section.ts';
import { Admins } from './admins.tsx';
import { Approvals } from './approvals.tsx';
import { Audit } from './audit.tsx';
import { BulkRuns } from './bulk-runs.tsx';
import { Disputes } from './disputes.tsx';
import { Health } from './health.tsx';
import { Keys } from './keys.tsx';
import { Ledger } from './ledger.tsx';
import { Lps } from './lps.tsx';
import { Orders } from './orders.tsx';
import { Search } from './search.tsx';
import { Users } from './users.tsx';
import { Webhooks } from './webhooks.tsx';
import { Withdrawals } from './withdrawals.tsx';

/** The pages of admins, in the order of the navigation. The first one opens after the sign-in. */
export const adminSections: Section[] = [
  { path: 'health', title: 'Health', icon: 'health', view: Health },
  { path: 'orders', title: 'Orders', icon: 'orders', view: Orders, startsGroup: true },
  { path: 'disputes', title: 'Disputes', icon: 'disputes', view: Disputes },
  { path: 'bulk-runs', title: 'Bulk runs', icon: 'bulkRuns', view: BulkRuns },
  { path: 'webhooks', title: 'Webhooks', icon: 'webhooks', view: Webhooks },
  { path: 'lps', title: 'LPs', icon: 'lps', view: Lps, startsGroup: true },
  { path: 'withdrawals', title: 'Withdrawals', icon: 'withdrawals', view: Withdrawals },
  { path: 'ledger', title: 'Ledger', icon: 'ledger', view: Ledger },
  { path: 'keys', title: 'Keys', icon: 'keys', view: Keys, startsGroup: true },
  { path: 'users', title: 'Users', icon: 'users', view: Users },
  { path: 'approvals', title: 'Approvals', icon: 'approvals', view: Approvals, startsGroup: true },
  { path: 'admins', title: 'Admins', icon: 'admins', view: Admins, permission: 'admins:manage' },
  { path: 'audit', title: 'Audit', icon: 'audit', view: Audit },
  { path: 'search', title: 'Search', icon: 'search', view: Search, isHidden: true },
];
