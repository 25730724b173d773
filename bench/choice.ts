import { PART_NAMES, type PartName } from './parts/names.ts';

/** Selects all subjects and baselines. They are compared with each other, so they are always measured together. */
export const ALTERNATIVES = 'alternatives';

/** The selection of measurements. */
export interface Choice {
  alternatives: boolean;
  parts: PartName[];
}

/** Parses `--only`; without it, everything is selected. Throws for an unknown name. */
export function parseChoice(only: string | undefined): Choice {
  const all: string[] = [ALTERNATIVES, ...PART_NAMES];
  const names = only === undefined ? all : only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0)
    throw new RangeError(`--only: unknown ${unknown.join(', ')}; choose from ${all.join(', ')}`);
  return {
    alternatives: names.includes(ALTERNATIVES),
    parts: PART_NAMES.filter((name) => names.includes(name)),
  };
}
