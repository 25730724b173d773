import type { Page } from 'playwright-core';

/** What makes the page wider than the window. */
export const beyondTheEdge = (page: Page) =>
  page.evaluate<string[]>(`(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll('main *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => element.outerHTML.slice(0, 80));
  })()`);

/** Controls that a screen reader could not name. */
export const nameless = (page: Page) =>
  page.evaluate<string[]>(`[...document.querySelectorAll('button, a, input, select, [role=img]')]
    .filter((element) => !(
      element.getAttribute('aria-label') || element.textContent.trim() || element.labels?.length
    ))
    .map((element) => element.outerHTML.slice(0, 80))`);
