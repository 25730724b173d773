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
  { path: 'health', title: 'Health', view: Health },
  { path: 'orders', title: 'Orders', view: Orders },
  { path: 'disputes', title: 'Disputes', view: Disputes },
  { path: 'bulk-runs', title: 'Bulk runs', view: BulkRuns },
  { path: 'lps', title: 'LPs', view: Lps },
  { path: 'withdrawals', title: 'Withdrawals', view: Withdrawals },
  { path: 'approvals', title: 'Approvals', view: Approvals },
  { path: 'webhooks', title: 'Webhooks', view: Webhooks },
  { path: 'keys', title: 'Keys', view: Keys },
  { path: 'users', title: 'Users', view: Users },
  { path: 'ledger', title: 'Ledger', view: Ledger },
  { path: 'admins', title: 'Admins', view: Admins, permission: 'admins:manage' },
  { path: 'audit', title: 'Audit', view: Audit },
  { path: 'search', title: 'Search', view: Search, isHidden: true },
];
