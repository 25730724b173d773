import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { publishTerms } from '../../../dev/registration.ts';
import {
  type Agent,
  claim,
  completedOrder,
  newAgent,
  newLp,
  newOrder,
  release,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { checkPages, type Section, type View } from '../../support/page-checks.ts';

/** Every LP page, in both colour schemes and on a phone. RECORD_PICTURES=1 takes the screenshots of docs/console.md. */
describeInBrowser('the LP pages', () => {
  const console = useConsole();
  let agent: Agent;
  let lp: TestLp;

  beforeAll(async () => {
    const { corridor } = console;
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { spreadBps: 100 });
    const own = { ...lp, own: `/api/lp/${lp.key}` };
    const terms = { currency: 'KES', rate_usd: 131, min: 100 };
    await publishTerms(own, { ...terms, float: 400_000, float_low: 50_000 });
    await publishTerms(own, { ...terms, method: 'bank_transfer', rate_usd: 130.5, float: 900_000 });
    await publishTerms(own, { ...terms, method: 'paybill', valid_for: 1_200, float: 250_000 });
    await publishTerms(own, { ...terms, method: 'till', max: 70_000 });
    // As wide as amounts and rates get.
    const widest = { rate_usd: 123_456_789.12345678, max: 987_654_321_098.75, float: 987_654_321_098.75 };
    for (const currency of ['EUR', 'XTS']) await publishTerms(own, { currency, ...widest });
    for (const amount of [1_295, 6_475, 3_885]) await completedOrder(corridor, agent, lp, { amount });
    // Spreads the completed orders over several days, so that the history has several bars.
    const spread = `update orders set completed_at = completed_at - id * interval '3 days'`;
    await corridor.db.query('test-days', spread, []);
    const active = await newOrder(agent, {
      ...{ amount: 5_180, method: 'paybill', institution: 'mpesa', recipient: undefined },
      recipient_details: { business_number: '888880', account_number: 'INV 2041' },
    });
    await expectStatus(200, claim(lp, active));
    await newOrder(agent, { amount: 2_590, institution: 'mpesa' });
    await newOrder(agent, {
      ...{ amount: 12_950, method: 'bank_transfer', institution: '68', recipient: '0770123456789' },
    });
    await newOrder(agent, { amount: 1_942.5, institution: 'airtel_money' });
    await newOrder(agent, { amount: 25_900, method: 'till', recipient: '832909' });
  });

  const SECTIONS: Section[] = [
    [
      'Market',
      (page) =>
        page
          .getByRole('button', { name: /^Claim order/ })
          .first()
          .waitFor(),
    ],
    ['Your orders', (page) => page.getByRole('link', { name: 'Order 1', exact: true }).waitFor()],
    [
      'Terms',
      (page) =>
        page
          .getByRole('button', { name: /^Set the float/ })
          .first()
          .waitFor(),
    ],
    ['Collateral', (page) => page.getByRole('button', { name: 'Announce deposit' }).waitFor()],
    ['History', (page) => eventuallyEquals(() => countDrawnCharts(page), 3)],
  ];
  const VIEWS: View[] = [
    { name: 'light', screenshots: ['Market', 'History'] },
    { name: 'dark', dark: true, screenshots: ['Market', 'Terms'] },
    { name: 'phone', phone: true, screenshots: ['Market', 'Terms'] },
    { name: 'phone-dark', phone: true, dark: true, screenshots: ['Your orders'] },
  ];

  test.each(VIEWS)('in $name fit the window, name every control and have no errors', (view) =>
    checkPages(console, lp.key, SECTIONS, view),
  );

  test('name the method, the institution and the fields of a recipient', async () => {
    const visitor = await console.visit();
    const { page } = visitor;
    await signIn(visitor, lp.key);
    await page.getByText('Bank transfer · Equity Bank 07•••••••••89').waitFor();
    await page.getByText('Buy Goods till ••••••').waitFor();
    await page.getByText('888880 · Pay Bill · M-PESA · account number INV 2041').first().waitFor();
  });

  test('lead to orders that have 20 newer ones, and offer their steps', async () => {
    const busy = await newLp(console.corridor, { collateral: 10_000 });
    const lost = await newOrder(agent);
    await expectStatus(200, claim(busy, lost));
    await expectStatus(200, release(busy, lost));
    const unpaid: number[] = [];
    for (let order = 0; order < 21; order++) {
      const id = await newOrder(agent);
      await expectStatus(200, claim(busy, id));
      unpaid.push(id);
    }
    const visitor = await console.visit();
    const { page } = visitor;
    // The newest ten and the ten that are due next are on the dashboard. It has no room for this one.
    const [hidden] = unpaid.slice(10);
    await signIn(visitor, busy.key);
    const link = (name: string) => page.getByRole('link', { name, exact: true });
    await link('Your orders').click();
    await link(`Order ${unpaid[0]}`).waitFor();
    expect(await link(`Order ${hidden}`).count()).toBe(0);
    await link('All your orders').click();
    await link(`Order ${hidden}`).click();
    await page.getByRole('button', { name: `Fiat sent, order ${hidden}` }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Fiat sent', exact: true }).click();
    // The step moves the order behind all that are unpaid, so the page reads it by itself again.
    await page.getByRole('button', { name: `Dispute, order ${hidden}` }).waitFor();
    await page.goBack();
    await link('Older').click();
    await link(`Order ${lost}`).click();
    await page.getByRole('heading', { name: `Order ${lost} no longer yours` }).waitFor();
  });

  test('can be used by keyboard alone, up to a claim', async () => {
    const visitor = await console.visit();
    const { page } = visitor;
    await signIn(visitor, lp.key);
    const id = await newOrder(agent);
    const label = `Claim order ${id}`;
    await page.getByRole('button', { name: label, exact: true }).waitFor();
    const focusedLabel = () => page.evaluate('document.activeElement?.getAttribute("aria-label")');
    for (let presses = 0; presses < 200 && (await focusedLabel()) !== label; presses++)
      await page.keyboard.press('Tab');
    expect(await focusedLabel()).toBe(label);
    await page.keyboard.press('Enter');
    await page.getByRole('article', { name: `Order ${id}`, exact: true }).waitFor();
  });
});

/** Counts the canvases that are not blank. */
const countDrawnCharts = (page: Page) =>
  page.evaluate<number>(`[...document.querySelectorAll('canvas')].filter((canvas) => {
    const blank = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height });
    return canvas.width > 0 && canvas.toDataURL() !== blank.toDataURL();
  }).length`);
