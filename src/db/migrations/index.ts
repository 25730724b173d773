import { Migration20261122000000_initial } from './Migration20261122000000_initial.ts';

/** Every migration, in order. A list works with every loader; a search of the folder does not. */
export const MIGRATIONS = [
  { name: 'Migration20261122000000_initial', class: Migration20261122000000_initial },
];
