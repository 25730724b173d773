import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  completedOrder,
  newAgent,
  newLp,
  newOrder,
  type TestLp,
} from '../support/actors.ts';
import { describeInBrowser, signIn, startBrowser, type ViewOptions, visit } from '../support/browser.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { expectWhole, lookThrough, type Section, takePicture } from '../support/page-checks.ts';

/** Every page of an LP's, in every light and on a phone. With RECORD_PICTURES=1 it takes those of docs/console.md. */
describeInBrowser('an LP’s pages', () => {
  let corridor: TestCorridor;
  let browser: Browser;
  let agent: Agent;
  let lp: TestLp;

  beforeAll(async () => {
    corridor = await startCorridor();
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { spreadBps: 100 });
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 131 }));
    for (const amount of [1_295, 6_475, 3_885]) await completedOrder(corridor, agent, lp, { amount });
    // As if they had been completed on days before: a history of one day shows little.
    const days = `update orders set completed_at = completed_at - id * interval '3 days'`;
    await corridor.db.query('test-days', days, []);
    const inHand = await newOrder(agent, { amount: 5_180 });
    await expectStatus(200, claim(lp, inHand));
    for (const amount of [2_590, 12_950, 1_942.5, 25_900]) await newOrder(agent, { amount });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await corridor.stop();
  });

  const PAGES: Section[] = [
    [
      'Market',
      (page) =>
        page
          .getByRole('button', { name: /^Claim order/ })
          .first()
          .waitFor(),
    ],
    ['Your orders', (page) => page.getByRole('link', { name: 'Order 1', exact: true }).waitFor()],
    ['Terms', (page) => page.getByRole('button', { name: 'Publish rate' }).waitFor()],
    ['Collateral', (page) => page.getByRole('button', { name: 'Announce deposit' }).waitFor()],
    ['History', (page) => chartsAreDrawn(page)],
  ];
  const VIEWS: [name: string, view: ViewOptions, pictures: string[]][] = [
    ['light', {}, ['Market', 'History']],
    ['dark', { dark: true }, ['Market', 'Terms']],
    ['phone', { phone: true }, ['Market']],
    ['phone-dark', { phone: true, dark: true }, ['Your orders']],
  ];

  test.each(VIEWS)(
    'in %s are whole: nothing beyond the edge, nothing without a name, no fault',
    async (name, view, pictures) => {
      const visitor = await visit(browser, corridor.config.publicUrl, view);
      const { page, faults } = visitor;
      await signIn(visitor, lp.key);
      await lookThrough(page, PAGES, async (section) => {
        await expectWhole(page, section);
        if (pictures.includes(section))
          await takePicture(page, `${section.toLowerCase().replace(' ', '-')}-${name}`);
      });
      expect(faults).toEqual([]);
      await visitor.context.close();
    },
  );

  test('can be walked by keyboard alone, up to a claim', async () => {
    const visitor = await visit(browser, corridor.config.publicUrl);
    const { page, context } = visitor;
    await signIn(visitor, lp.key);
    const id = await newOrder(agent);
    const wanted = `Claim order ${id}`;
    await page.getByRole('button', { name: wanted, exact: true }).waitFor();
    const focused = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
    for (let steps = 0; steps < 200 && (await focused()) !== wanted; steps++)
      await page.keyboard.press('Tab');
    expect(await focused()).toBe(wanted);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: `Order ${id}`, exact: true }).waitFor();
    await context.close();
  });
});

/** There are three, and each has something on it. */
const chartsAreDrawn = (page: Page) =>
  eventuallyEquals(
    () =>
      page.evaluate<number>(`[...document.querySelectorAll('canvas')].filter((canvas) => {
        const blank = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
        return canvas.width > 0 && canvas.toDataURL() !== blank.toDataURL();
      }).length`),
    3,
  );
