import { nearestNames } from '../domain/near-miss.ts';
import { chainPrefix, chains } from './chains.ts';
import { definitions } from './definitions.ts';
import { settingsIn } from './setting.ts';

/** The names of all settings. */
export const SETTING_NAMES: ReadonlySet<string> = new Set(settingsIn(definitions).keys());

/** Whether an environment variable is one of Corridor's. */
export const isSetting = (name: string): boolean => SETTING_NAMES.has(name);

const CHAIN_PREFIXES = Object.keys(chains.shape).map((chain) =>
  chainPrefix(chain as keyof typeof chains.shape),
);
const CHAIN_NAMES = [...settingsIn(chains).keys()];
/** Suffixes of chain settings, such as `RPC_URL`. */
const CHAIN_ENDS = new Set(
  CHAIN_NAMES.map((name) => name.slice(CHAIN_PREFIXES.find((prefix) => name.startsWith(prefix))?.length)),
);

/**
 * Suggests the intended setting for each misspelt name. Variables of other programs share the environment, so only near
 * misses count, and names that begin like those of chains.
 */
export function misspeltNames(given: string[]): string[] {
  return given.flatMap((name) => {
    if (isSetting(name)) return [];
    const meant = settingsMeantBy(name);
    if (meant.length === 0) return [];
    return `${name} is not a setting: did you mean ${meant.join(', ')}? Rename it, or unset it`;
  });
}

/** The settings that a variable's name is a misspelling of; empty if it belongs to another program. */
function settingsMeantBy(name: string): string[] {
  const near = nearestNames(name.toUpperCase(), SETTING_NAMES);
  if (near.length > 0) return near;
  const known = CHAIN_PREFIXES.find((prefix) => name.startsWith(prefix));
  if (known) return CHAIN_NAMES.filter((setting) => setting.startsWith(known));
  const end = /^CHAIN_[A-Z0-9]+_(.+)$/.exec(name)?.[1];
  return end && CHAIN_ENDS.has(end) ? CHAIN_NAMES.filter((setting) => setting.endsWith(`_${end}`)) : [];
}
