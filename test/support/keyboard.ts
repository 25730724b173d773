import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** What has the focus: its role and name, whether the page shows that it has it, and whether all of it is in view. */
interface Focus {
  tag: string;
  name: string;
  isVisible: boolean;
}

/** The element that has the focus now. */
export const focusOf = (page: Page) =>
  page.evaluate<Focus>(`(() => {
    const element = document.activeElement;
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    const label = element.labels?.[0]?.textContent;
    return {
      tag: element.tagName,
      name: element.getAttribute('aria-label') ?? label ?? element.textContent.trim(),
      isVisible: outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2,
    };
  })()`);

/** Presses Tab until the element of this name has the focus, which must be visible at each stop. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 150; presses++) {
    await page.keyboard.press('Tab');
    const focus = await focusOf(page);
    if (focus.tag !== 'BODY') expect([focus.name, focus.isVisible]).toEqual([focus.name, true]);
    if (focus.name === name) return;
  }
  throw new Error(`Tab does not reach "${name}"`);
}

/** Waits until a closed dialog has left the page: it loses its role before the page handles its end. */
export const untilClosed = (page: Page) => page.locator('dialog').waitFor({ state: 'detached' });
