import { mkdir } from 'node:fs/promises';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { signIn, type ViewOptions } from './browser.ts';
import type { ConsoleTest } from './console.ts';
import { eventually } from './eventually.ts';

/** The screenshots of docs/console.md. RECORD_PICTURES=1 takes them again. */
const SCREENSHOT_FOLDER = process.env.RECORD_PICTURES ? 'docs/console' : undefined;

/** A page of the console: the name of its link in the navigation, and a condition that holds once it is complete. */
export type Section = [name: string, isReady: (page: Page) => Promise<unknown>];

/** A screen and a colour scheme, with the pages whose screenshots docs/console.md shows. */
export interface View extends ViewOptions {
  name: string;
  screenshots: string[];
  fullPage?: boolean;
}

/** Checks what the page shows now, and takes its screenshot if the view lists it. */
type CheckPage = (name: string) => Promise<void>;

/** Signs in, opens each section of the navigation in turn, and checks it; `checkMore` can check other pages. */
export async function checkPages(
  console: ConsoleTest,
  key: string,
  sections: Section[],
  view: View,
  checkMore: (page: Page, check: CheckPage) => Promise<void> = async () => {},
): Promise<void> {
  const visitor = await console.visit(view);
  const { page } = visitor;
  const check: CheckPage = async (name) => {
    expect([name, await findOverflow(page)]).toEqual([name, []]);
    expect([name, await findUnnamedControls(page)]).toEqual([name, []]);
    if (view.screenshots.includes(name)) await takeScreenshot(page, name, view);
  };
  await signIn(visitor, key);
  for (const [name, isReady] of sections) {
    await page.getByRole('link', { name, exact: true }).click();
    await isReady(page);
    await check(name);
  }
  await checkMore(page, check);
}

async function takeScreenshot(page: Page, name: string, view: View): Promise<void> {
  if (!SCREENSHOT_FOLDER) return;
  await mkdir(SCREENSHOT_FOLDER, { recursive: true });
  const path = `${SCREENSHOT_FOLDER}/${name.toLowerCase().replace(' ', '-')}-${view.name}.png`;
  const size = page.viewportSize();
  // A window as high as the page, because the navigation is as high as the window.
  if (view.fullPage && size) {
    const height = await page.evaluate<number>('document.documentElement.scrollHeight');
    await page.setViewportSize({ ...size, height: Math.max(size.height, height) });
  }
  await page.screenshot({ path, scale: 'css' });
  if (size) await page.setViewportSize(size);
}

/** Returns the elements that make the page wider than the window. Charts follow a new window's size some frames later. */
export async function findOverflow(page: Page): Promise<string[]> {
  let elements: string[] = [];
  const isGone = async () => {
    elements = await listWideElements(page);
    return elements.length === 0;
  };
  await eventually(isGone, 10_000).catch((error) => {
    if (elements.length === 0) throw error;
  });
  return elements;
}

const listWideElements = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  })()`);

/** Returns the controls without an accessible name. */
const findUnnamedControls = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, a, input, select, [role=img]')]
    .filter((element) => !(
      element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length
    ))
    .map((element) => element.outerHTML.slice(0, 80))`);
