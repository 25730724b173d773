import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { definitions } from '../../src/settings/definitions.ts';
import { SETTING_NAMES } from '../../src/settings/names.ts';
import { settingsIn } from '../../src/settings/setting.ts';

const EVM = ['ETH', 'POLYGON', 'BASE'];
const defined = settingsIn(definitions);
const [chainNames, otherNames] = [true, false].map((ofChain) =>
  [...SETTING_NAMES].filter((name) => name.startsWith('CHAIN_') === ofChain).sort(),
);

/** The rows of a page's tables of settings, by their cells. */
const rowsOf = (page: string): string[][] =>
  readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

const namesIn = (cell = ''): string[] => [...cell.matchAll(/`([A-Z0-9_…]+)`/g)].map(([, name = '']) => name);

const defaultOf = (name: string): unknown => z.parse(defined.get(name) as z.ZodType, undefined);

describe('docs/settings.md', () => {
  const documented = rowsOf('settings.md').flatMap(([cell, byDefault = '']) => {
    const names = namesIn(cell);
    const defaults = byDefault.split(', ');
    return names.map((name, place) => ({
      name,
      byDefault: defaults.length === names.length ? defaults[place] : byDefault.replace(/ each$/, ''),
    }));
  });

  test('has one row for every setting, and for nothing else; if not, add the row to docs/settings.md', () => {
    expect(documented.map(({ name }) => name).sort()).toEqual(otherNames);
  });

  test.each(documented)('states the default of $name', ({ name, byDefault = '' }) => {
    const literal = /^`([^`]+)`$/.exec(byDefault)?.[1];
    // A default in words depends on other settings, or means that there is none. The definition then has no value.
    if (literal === undefined || /\b[A-Z]{4}\b/.test(literal))
      return expect(isNothing(defaultOf(name))).toBe(true);
    expect(isNothing(defaultOf(name))).toBe(false);
    expect(z.parse(defined.get(name) as z.ZodType, literal)).toEqual(defaultOf(name));
  });
});

describe('docs/chains.md', () => {
  const documented = rowsOf('chains.md').map(([cell, chains = '', byDefault = '']) => {
    const [name = ''] = namesIn(cell);
    const on = chains === 'all' ? ['all'] : chains.replaceAll('`', '').split(', ');
    const prefixes = on.flatMap((one) =>
      one === 'all' ? [...EVM, 'TRX', 'XRPL'] : one === 'EVM' ? EVM : one,
    );
    return { names: prefixes.map((chain) => name.replace('…', chain)), byDefault };
  });

  test('has a row for every setting of every chain, and for nothing else', () => {
    expect(documented.flatMap(({ names }) => names).sort()).toEqual(chainNames);
  });

  test.each(documented)('states the defaults of $names', ({ names, byDefault }) => {
    const defaults = names.map(defaultOf);
    if (byDefault === 'none') expect(defaults.every(isNothing)).toBe(true);
    else expect(defaults.map(String)).toEqual(byDefault.split(/[,;] /));
  });
});

/** Whether a default means that the setting is off or unknown. */
function isNothing(value: unknown): boolean {
  if (value instanceof Map) return value.size === 0;
  return (
    value === undefined ||
    value === null ||
    (Object.keys(Object(value)).length === 0 && typeof value === 'object')
  );
}
