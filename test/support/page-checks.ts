import { mkdir } from 'node:fs/promises';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** The pictures of docs/console.md, which are taken anew with RECORD_PICTURES=1. */
const PICTURES = process.env.RECORD_PICTURES ? 'docs/console' : undefined;

/** A page of the console: the name of the link that leads to it, and what it shows when all of it is there. */
export type Section = [name: string, ready: (page: Page) => Promise<void>];

/** Opens one section after the other, waits until all of it is there, and looks at it. */
export async function lookThrough(
  page: Page,
  sections: Section[],
  look: (section: string) => Promise<void>,
): Promise<void> {
  for (const [section, ready] of sections) {
    await page.getByRole('link', { name: section, exact: true }).click();
    await ready(page);
    await look(section);
  }
}

/** What every page keeps to, on every screen: nothing beyond the edge, no control without a name. */
export async function expectWhole(page: Page, what: string): Promise<void> {
  expect([what, await beyondTheEdge(page)]).toEqual([what, []]);
  expect([what, await nameless(page)]).toEqual([what, []]);
}

/** Takes a picture of what the page shows, where pictures are asked for. */
export async function takePicture(page: Page, name: string, options = { fullPage: false }): Promise<void> {
  if (!PICTURES) return;
  await mkdir(PICTURES, { recursive: true });
  await page.screenshot({ path: `${PICTURES}/${name}.png`, scale: 'css', ...options });
}

/** What makes the page wider than the window. */
const beyondTheEdge = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  })()`);

/** Controls that a screen reader could not name. */
const nameless = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, a, input, select, [role=img]')]
    .filter((element) => !(
      element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length
    ))
    .map((element) => element.outerHTML.slice(0, 80))`);
