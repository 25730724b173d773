import type { Locator, Page } from 'playwright-core';
import { signIn, type Visitor } from './browser.ts';
import { ADMIN_KEY } from './corridor.ts';

/** Signs an admin in, and goes to a page of the console by its name in the navigation. */
export async function openSection(visitor: Visitor, section: string): Promise<Page> {
  const { page } = visitor;
  await signIn(visitor, ADMIN_KEY);
  const navigation = page.getByRole('navigation', { name: 'Console' });
  await navigation.getByRole('link', { name: section, exact: true }).click();
  await page.getByRole('heading', { name: section, level: 1 }).waitFor();
  return page;
}

/** The row of a table that is about something with this id. */
export const rowOf = (page: Page, id: number): Locator => page.locator(`tr[data-row="${id}"]`);
