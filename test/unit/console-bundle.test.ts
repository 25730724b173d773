import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleConsole } from '../../console/build.ts';
import { CONSOLE_SOURCES, type ConsoleFiles } from '../../src/api/pages/console-bundle.ts';

/** What its page names of the rest of the service. */
const OTHER_PAGES = ['/docs', '/logo.svg'];
/** The maximum size of the compressed console in bytes. */
const MOST_BYTES = 150_000;

let files: ConsoleFiles;
let inputs: string[];
beforeAll(async () => {
  ({ files, inputs } = await bundleConsole());
});

const sources = () => inputs.filter((source) => !source.startsWith('node_modules/'));

test('the console contains only files that its cache key covers', () => {
  expect(sources()).toContain('console/src/main.tsx');
  const elsewhere = sources().filter(
    (source) => !CONSOLE_SOURCES.some((place) => source.startsWith(`${place}/`)),
  );
  expect(elsewhere).toEqual([]);
});

test('its total compressed size is small', () => {
  const bytes = Object.values(files).map((text) => gzipSync(text, { level: 9 }).length);
  const sum = bytes.reduce((a, b) => a + b, 0);
  expect(sum).toBeGreaterThan(10_000);
  expect(sum).toBeLessThan(MOST_BYTES);
});

test('its page loads nothing from other origins, and has no inline script or style', () => {
  const page = files['/console'] ?? '';
  const asked = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
  expect(asked).toEqual(expect.arrayContaining(['/console/app.js', '/console/app.css', ...OTHER_PAGES]));
  expect(asked.filter((path) => !(path in files) && !OTHER_PAGES.includes(path))).toEqual([]);
  expect(page).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/);
});

test('no text of the service becomes markup', async () => {
  const { readFile } = await import('node:fs/promises');
  for (const source of sources().filter((name) => name.startsWith('console/')))
    expect([source, await readFile(source, 'utf8')]).toEqual([
      source,
      expect.not.stringMatching(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      ),
    ]);
});
