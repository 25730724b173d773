import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from '@jest/globals';
import { bundleConsole, CONSOLE_SOURCES, type ConsoleFiles } from '../../src/console-bundle.ts';

/** Bytes that all of the console may have on its way, packed. */
const MOST_BYTES = 150_000;

let files: ConsoleFiles;
let madeOf: string[];
beforeAll(async () => {
  ({ files, madeOf } = await bundleConsole());
});

const sources = () => madeOf.filter((source) => !source.startsWith('node_modules/'));

test('the console is made of nothing but what its name is made of', () => {
  expect(sources()).toContain('console/src/main.tsx');
  const elsewhere = sources().filter(
    (source) => !CONSOLE_SOURCES.some((place) => source.startsWith(`${place}/`)),
  );
  expect(elsewhere).toEqual([]);
});

test('all of it together, packed, is light', () => {
  const bytes = Object.values(files).map((text) => gzipSync(text, { level: 9 }).length);
  const sum = bytes.reduce((a, b) => a + b, 0);
  expect(sum).toBeGreaterThan(10_000);
  expect(sum).toBeLessThan(MOST_BYTES);
});

test('its page asks for nothing that is not in it, and has no script or style in itself', () => {
  const page = files['/console'] ?? '';
  const asked = [...page.matchAll(/(?:src|href)="(\/[^"]*)"/g)].map(([, path = '']) => path);
  expect(asked).toEqual(expect.arrayContaining(['/console/app.js', '/console/app.css', '/docs']));
  expect(asked.filter((path) => !(path in files) && path !== '/docs')).toEqual([]);
  expect(page).not.toMatch(/<style|<script(?![^>]* src=)|\son\w+=|style=/);
});

test('nothing that comes from the service is ever made markup', async () => {
  const { readFile } = await import('node:fs/promises');
  for (const source of sources().filter((name) => name.startsWith('console/')))
    expect([source, await readFile(source, 'utf8')]).toEqual([
      source,
      expect.not.stringMatching(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/,
      ),
    ]);
});
