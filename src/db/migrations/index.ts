import { Migration20261122000000_initial } from './Migration20261122000000_initial.ts';

/** Every migration, in order. A list, and not a search of the folder, works with every loader. */
export const MIGRATIONS = [
  { name: 'Migration20261122000000_initial', class: Migration20261122000000_initial },
];
