/** The measured parts of Corridor, as `--only` names them. */
export const PART_NAMES = ['sql', 'hot-lp', 'feed', 'delivery', 'history', 'memory', 'start'] as const;
export type PartName = (typeof PART_NAMES)[number];
