import { Migration20261121133455_initial } from './Migration20261121133455_initial.ts';
import { Migration20261121150100_receipts } from './Migration20261121150100_receipts.ts';

/** Every migration, in order. Named here, and not found by a search of the folder, so that no loader has to guess. */
export const MIGRATIONS = [
  { name: 'Migration20261121133455_initial', class: Migration20261121133455_initial },
  { name: 'Migration20261121150100_receipts', class: Migration20261121150100_receipts },
];
