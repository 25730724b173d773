import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { signIn, type ViewOptions, type Visitor, visit } from './browser.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor, type TestOptions } from './corridor.ts';

export interface ConsoleTest {
  readonly corridor: TestCorridor;
  /** Opens the console in a browser profile of its own. The profile closes after the test. */
  visit: (view?: ViewOptions) => Promise<Visitor>;
  /** Signs an admin in, and opens a page of the console by its name in the navigation. */
  openAdminPage: (section: string) => Promise<{ page: Page; visitor: Visitor }>;
}

/**
 * Starts a Corridor for the tests of the calling `describe` block. After each test it expects that no page
 * had an error or called another origin.
 */
export function useConsole(options: TestOptions = {}): ConsoleTest {
  let corridor: TestCorridor;
  const visitors: Visitor[] = [];
  beforeAll(async () => {
    corridor = await startCorridor(options);
  });
  afterEach(async () => {
    for (const { context, faults, origins } of visitors.splice(0)) {
      await context.close();
      expect(faults).toEqual([]);
      expect([...origins]).toEqual([corridor.config.publicUrl]);
    }
  });
  afterAll(() => corridor.stop());

  const open = async (view?: ViewOptions) => {
    const visitor = await visit(corridor.config.publicUrl, view);
    visitors.push(visitor);
    return visitor;
  };
  return {
    get corridor() {
      return corridor;
    },
    visit: open,
    openAdminPage: async (section) => {
      const visitor = await open();
      const { page } = visitor;
      await signIn(visitor, ADMIN_KEY);
      const navigation = page.getByRole('navigation', { name: 'Console' });
      await navigation.getByRole('link', { name: section, exact: true }).click();
      await page.getByRole('heading', { name: section, level: 1 }).waitFor();
      return { page, visitor };
    },
  };
}

/** The row of a table for the record with this id. */
export const rowOf = (page: Page, id: number): Locator => page.locator(`tr[data-row="${id}"]`);

/** Holds the requests to a URL in all these pages, until the returned function is called. */
export async function holdRequests(pages: Page[], url: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  for (const page of pages)
    await page.route(url, async (route) => {
      await released;
      await route.continue();
    });
  return release;
}
