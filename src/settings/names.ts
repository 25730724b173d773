import { chainPrefix, chains } from './chains.ts';
import { definitions } from './definitions.ts';
import { settingsIn } from './setting.ts';

/** The names of all settings. */
export const SETTING_NAMES: ReadonlySet<string> = new Set(settingsIn(definitions).keys());

/** Whether an environment variable is one of Corridor's. */
export const isSetting = (name: string): boolean => SETTING_NAMES.has(name);

/** Shorter names, such as PORT, are too close to variables of other programs. */
const FEWEST_LETTERS = 6;
/** Two edits of a shorter name may lead to another program's: DATABASE_SSL, API_RATE_LIMIT, TEMPORAL_UI_HOST. */
const SHORTEST_FOR_TWO_EDITS = 18;

const CHAIN_PREFIXES = Object.keys(chains.shape).map((chain) =>
  chainPrefix(chain as keyof typeof chains.shape),
);
const CHAIN_NAMES = [...settingsIn(chains).keys()];
/** What follows the chain in the names of its settings, such as `RPC_URL`. */
const CHAIN_ENDS = new Set(
  CHAIN_NAMES.map((name) => name.slice(CHAIN_PREFIXES.find((prefix) => name.startsWith(prefix))?.length)),
);

/**
 * Says for each variable that is meant to be a setting and is none which setting it may be. Variables of other programs
 * share the environment, so only near misses count, and names that begin like those of chains.
 */
export function misspeltNames(given: string[]): string[] {
  return given.flatMap((name) => {
    if (isSetting(name)) return [];
    const meant = settingsMeantBy(name);
    if (meant.length === 0) return [];
    return `${name} is not a setting: did you mean ${meant.join(', ')}? Rename it, or set it to nothing`;
  });
}

/** The settings that a variable's name is a misspelling of; empty if it belongs to another program. */
function settingsMeantBy(name: string): string[] {
  const near = nearest(name.toUpperCase());
  if (near.length > 0) return near;
  const known = CHAIN_PREFIXES.find((prefix) => name.startsWith(prefix));
  if (known) return CHAIN_NAMES.filter((setting) => setting.startsWith(known));
  const end = /^CHAIN_[A-Z0-9]+_(.+)$/.exec(name)?.[1];
  return end && CHAIN_ENDS.has(end) ? CHAIN_NAMES.filter((setting) => setting.endsWith(`_${end}`)) : [];
}

function nearest(name: string): string[] {
  const candidates = [...SETTING_NAMES]
    .filter((setting) => Math.abs(setting.length - name.length) <= editsAllowed(setting))
    .map((setting) => ({ setting, edits: editsBetween(name, setting) }))
    .filter(({ setting, edits }) => edits <= editsAllowed(setting));
  const fewest = Math.min(...candidates.map(({ edits }) => edits));
  return candidates.filter(({ edits }) => edits === fewest).map(({ setting }) => setting);
}

function editsAllowed(setting: string): number {
  if (setting.replaceAll(/[^A-Z]/g, '').length < FEWEST_LETTERS) return 0;
  return setting.length < SHORTEST_FOR_TWO_EDITS ? 1 : 2;
}

/** How many characters must be deleted, inserted, replaced or swapped with their neighbour. */
function editsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= from.length; row++) {
    const [before = [], twoBefore = []] = [rows[row - 1], rows[row - 2]];
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const isSame = from[row - 1] === to[column - 1];
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current.push(
        Math.min(
          cell(before, column) + 1,
          cell(current, column - 1) + 1,
          cell(before, column - 1) + (isSame ? 0 : 1),
          isSwap ? cell(twoBefore, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    rows.push(current);
  }
  return cell(rows[from.length] ?? [], to.length);
}

const cell = (row: number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
