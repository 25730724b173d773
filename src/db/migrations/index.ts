import { Migration20261121133455_initial } from './Migration20261121133455_initial.ts';
import { Migration20261121150400_lp } from './Migration20261121150400_lp.ts';

/** Every migration, in order. Named here, and not found by a search of the folder, so that no loader has to guess. */
export const MIGRATIONS = [
  { name: 'Migration20261121133455_initial', class: Migration20261121133455_initial },
  { name: 'Migration20261121150400_lp', class: Migration20261121150400_lp },
];
