import { PART_NAMES, type PartName } from './parts/names.ts';

/** All subjects and floors, which are compared with each other and so are measured together. */
export const CONTESTANTS = 'contestants';

/** What is to be measured. */
export interface Chosen {
  contestants: boolean;
  parts: PartName[];
}

/** What `--only` names: everything without it. Throws for a name that there is not. */
export function chosen(only: string | undefined): Chosen {
  const all: string[] = [CONTESTANTS, ...PART_NAMES];
  const names = only === undefined ? all : only.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new RangeError(`--only knows ${all.join(', ')}; not ${unknown.join(', ')}`);
  return {
    contestants: names.includes(CONTESTANTS),
    parts: PART_NAMES.filter((name) => names.includes(name)),
  };
}
