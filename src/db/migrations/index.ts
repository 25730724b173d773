import { Migration20261121133455_initial } from './Migration20261121133455_initial.ts';
import { Migration20261121150000_feed } from './Migration20261121150000_feed.ts';
import { Migration20261121150100_receipts } from './Migration20261121150100_receipts.ts';
import { Migration20261121150200_agent } from './Migration20261121150200_agent.ts';
import { Migration20261121150300_admin } from './Migration20261121150300_admin.ts';
import { Migration20261121150400_lp } from './Migration20261121150400_lp.ts';
import { Migration20261121150500_presence } from './Migration20261121150500_presence.ts';
import { Migration20261121160000_lifecycle } from './Migration20261121160000_lifecycle.ts';
import { Migration20261121160200_withdrawals } from './Migration20261121160200_withdrawals.ts';
import { Migration20261121160300_matching } from './Migration20261121160300_matching.ts';
import { Migration20261121160400_reconciliation } from './Migration20261121160400_reconciliation.ts';
import { Migration20261121160500_growth } from './Migration20261121160500_growth.ts';
import { Migration20261121160600_unanswered } from './Migration20261121160600_unanswered.ts';
import { Migration20261121160700_rotations } from './Migration20261121160700_rotations.ts';
import { Migration20261121161700_traces } from './Migration20261121161700_traces.ts';
import { Migration20261122050000_lp_rotations } from './Migration20261122050000_lp_rotations.ts';
import { Migration20261122050100_feed_offset } from './Migration20261122050100_feed_offset.ts';
import { Migration20261122055500_console } from './Migration20261122055500_console.ts';

/** Every migration, in order. Named here, and not found by a search of the folder, so that no loader has to guess. */
export const MIGRATIONS = [
  { name: 'Migration20261121133455_initial', class: Migration20261121133455_initial },
  { name: 'Migration20261121150000_feed', class: Migration20261121150000_feed },
  { name: 'Migration20261121150100_receipts', class: Migration20261121150100_receipts },
  { name: 'Migration20261121150200_agent', class: Migration20261121150200_agent },
  { name: 'Migration20261121150300_admin', class: Migration20261121150300_admin },
  { name: 'Migration20261121150400_lp', class: Migration20261121150400_lp },
  { name: 'Migration20261121150500_presence', class: Migration20261121150500_presence },
  { name: 'Migration20261121160000_lifecycle', class: Migration20261121160000_lifecycle },
  { name: 'Migration20261121160200_withdrawals', class: Migration20261121160200_withdrawals },
  { name: 'Migration20261121160300_matching', class: Migration20261121160300_matching },
  { name: 'Migration20261121160400_reconciliation', class: Migration20261121160400_reconciliation },
  { name: 'Migration20261121160500_growth', class: Migration20261121160500_growth },
  { name: 'Migration20261121160600_unanswered', class: Migration20261121160600_unanswered },
  { name: 'Migration20261121160700_rotations', class: Migration20261121160700_rotations },
  { name: 'Migration20261121161700_traces', class: Migration20261121161700_traces },
  { name: 'Migration20261122050000_lp_rotations', class: Migration20261122050000_lp_rotations },
  { name: 'Migration20261122050100_feed_offset', class: Migration20261122050100_feed_offset },
  { name: 'Migration20261122055500_console', class: Migration20261122055500_console },
];
