import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chromium } from 'playwright-core';
import { findChromium } from '../../support/chromium.ts';
import { npmChromium } from '../../support/npm-chromium.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'corridor-chromium-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const packed = npmChromium(process.env) === undefined ? describe.skip : describe;

packed('the Chromium from npm', () => {
  test('is unpacked once and whole, if several processes do it at the same time', async () => {
    const env = { ...process.env, XDG_CACHE_HOME: folder };
    const unpackings = [npmChromium(env), npmChromium(env)].map((prepare) => prepare?.());
    const [program, ...others] = await Promise.all(unpackings);
    expect(others).toEqual([program]);
    const [unpacked, ...more] = await readdir(join(folder, 'corridor'));
    expect(more).toEqual([]);
    expect(program?.executablePath).toBe(join(folder, 'corridor', String(unpacked), 'chromium'));
    const browser = await chromium.launch(program);
    try {
      const page = await browser.newPage();
      await page.setContent('<title>It runs</title>');
      expect(await page.title()).toBe('It runs');
    } finally {
      await browser.close();
    }
  });
});

describe('the choice of a browser', () => {
  const fromNpm = async () => ({ executablePath: '/from/npm' });
  const found = async (env: NodeJS.ProcessEnv, npm: typeof fromNpm | undefined) =>
    (await findChromium(env, npm)?.())?.executablePath;

  test('the program that CHROMIUM names comes first, then the one from npm, then one on the PATH', async () => {
    await symlink(process.execPath, join(folder, 'google-chrome'));
    const PATH = `/nowhere:${folder}`;
    expect(await found({ CHROMIUM: process.execPath, PATH }, fromNpm)).toBe(process.execPath);
    expect(await found({ PATH }, fromNpm)).toBe('/from/npm');
    expect(await found({ PATH }, undefined)).toBe(join(folder, 'google-chrome'));
    expect(await found({ PATH: '/nowhere' }, undefined)).toBeUndefined();
  });

  test('a CHROMIUM that is no program is an error', () => {
    expect(() => findChromium({ CHROMIUM: '/nowhere' }, fromNpm)).toThrow('CHROMIUM is not the path');
  });
});
