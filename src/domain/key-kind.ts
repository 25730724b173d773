export type KeyKind = 'agent' | 'lp' | 'admin';

const PREFIXES: readonly (readonly [string, KeyKind])[] = [
  ['rk_live_', 'agent'],
  ['lp_', 'lp'],
  ['adm_live_', 'admin'],
  // The root key that a start without ADMIN_API_KEY generates.
  ['admin_', 'admin'],
];

const IN_WORDS: Record<KeyKind, string> = { agent: 'an agent’s', lp: 'an LP’s', admin: 'an admin’s' };
const FORMS: Record<KeyKind, string> = {
  agent: 'rk_live_…',
  lp: 'lp_…',
  admin: 'adm_live_…, or ADMIN_API_KEY',
};

/** The kind of a key by its form alone, whether or not anybody has this key; undefined: no known form. */
export const keyKind = (key: string): KeyKind | undefined =>
  PREFIXES.find(([prefix]) => key.startsWith(prefix))?.[1];

/**
 * Says that a key of another kind was sent; undefined: its form is right or unknown. Depends on the form of the key alone, so it
 * says nothing about whether the key is valid.
 */
export function wrongKind(key: string, needed: KeyKind): string | undefined {
  const given = keyKind(key);
  if (given === undefined || given === needed) return undefined;
  return `This is ${IN_WORDS[given]} key, and ${IN_WORDS[needed]} key is needed here (${FORMS[needed]})`;
}
