/** What is measured of Corridor's parts, by the names that `--only` takes. */
export const PART_NAMES = ['sql', 'hot-lp', 'feed', 'delivery', 'history', 'memory', 'start'] as const;
export type PartName = (typeof PART_NAMES)[number];
