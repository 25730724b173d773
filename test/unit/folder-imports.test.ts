import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const PROJECT = fileURLToPath(new URL('../../', import.meta.url));
const GOVERNED = ['src', 'workflows', 'activities', 'dev', 'demo', 'companion', 'console'];

/** A folder of `src`, a file of `src` itself, or another top folder. */
const folderOf = (path: string): string => /^src\/[^/]+/.exec(path)?.[0] ?? String(path.split('/')[0]);

/** The table in docs/structure.md: the folders that each folder may import. */
function allowedImports(): Map<string, string[]> {
  const page = readFileSync(join(PROJECT, 'docs/structure.md'), 'utf8');
  const section = page.split('\n## Which folder may import which\n')[1]?.split('\n## ')[0] ?? '';
  const names = (cell = '') => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => String(name));
  const rows = [...section.matchAll(/^\| `(.+?)` \| (.*?) \|/gm)];
  return new Map(rows.map(([, folder, imports]) => [String(folder), names(imports)]));
}

/** The folders that each folder imports, each with an example. Type-only imports count. */
function actualImports(): Map<string, Map<string, string>> {
  const found = new Map<string, Map<string, string>>();
  for (const top of GOVERNED)
    for (const name of readdirSync(join(PROJECT, top), { recursive: true, encoding: 'utf8' })) {
      if (!/\.tsx?$/.test(name)) continue;
      const file = `${top}/${name}`;
      const imports = found.get(folderOf(file)) ?? new Map<string, string>();
      found.set(folderOf(file), imports);
      const text = readFileSync(join(PROJECT, file), 'utf8');
      for (const [, target] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
        const imported = folderOf(normalize(join(dirname(file), String(target))));
        if (imported !== folderOf(file)) imports.set(imported, `${file} imports ${target}`);
      }
    }
  return found;
}

const allowed = allowedImports();
const actual = actualImports();

test('each folder has a row in docs/structure.md, and imports only what its row allows', () => {
  expect([...allowed.keys()].sort()).toEqual([...actual.keys()].sort());
  const forbidden = [...actual].flatMap(([folder, imports]) =>
    [...imports].filter(([imported]) => !allowed.get(folder)?.includes(imported)),
  );
  expect(forbidden).toEqual([]);
});

test('no two folders may import each other', () => {
  const mutual = [...allowed].flatMap(([folder, imports]) =>
    imports.filter((other) => allowed.get(other)?.includes(folder)).map((other) => [folder, other]),
  );
  expect(mutual).toEqual([]);
});
