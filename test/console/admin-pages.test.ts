import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  cancel,
  claim,
  completedOrder,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  type TestLp,
} from '../support/actors.ts';
import { describeInBrowser, signIn, startBrowser, type ViewOptions, visit } from '../support/browser.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../support/corridor.ts';
import { expectWhole, lookThrough, type Section, takePicture } from '../support/page-checks.ts';

/** Every page of an admin's, in every light and on a phone. With RECORD_PICTURES=1 it takes those of docs/console.md. */
describeInBrowser('an admin’s pages', () => {
  let corridor: TestCorridor;
  let browser: Browser;
  let agent: Agent;
  let lp: TestLp;
  let disputed: number;

  beforeAll(async () => {
    corridor = await startCorridor({ env: { TEMPORAL_UI_URL: 'https://temporal.example' } });
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 2_000 });
    const webhooks = { callback_url: corridor.receiver.url };
    for (const amount of [1_295, 6_475, 3_885, 12_950, 2_590, 5_180, 7_770, 1_942.5])
      await completedOrder(corridor, agent, lp, { ...webhooks, amount });
    await expectStatus(200, cancel(agent, await newOrder(agent, webhooks)));
    await spreadOverTheLastHours();
    await expectStatus(200, claim(lp, await newOrder(agent, { ...webhooks, amount: 25_900 })));
    await newOrder(agent, { amount: 3_237.5 });
    disputed = await newOrder(agent, webhooks);
    await expectStatus(200, claim(lp, disputed));
    await expectStatus(200, fiatSent(lp, disputed));
    await expectStatus(200, dispute(agent, disputed));
    const withdrawal = { amount: 250, address: 'TMyOwnAddress' };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, withdrawal));
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await corridor.stop();
  });

  /** As if what has happened until now had taken its time. */
  const spreadOverTheLastHours = () =>
    corridor.db.pool.query(
      `update order_event set created_at = created_at - interval '19 minutes' * (9 - order_id) - interval '3 minutes' * (8 - seq)`,
    );

  const PAGES: Section[] = [
    ['Health', (page) => page.locator('canvas').nth(1).waitFor()],
    ['Orders', (page) => page.getByRole('table', { name: 'Orders, newest first' }).waitFor()],
    ['Disputes', (page) => page.getByRole('link', { name: /^Look into the dispute/ }).waitFor()],
    ['LPs', (page) => page.getByRole('button', { name: /^Suspend LP/ }).waitFor()],
    ['Withdrawals', (page) => page.getByRole('button', { name: /^Note withdrawal/ }).waitFor()],
    [
      'Webhooks',
      (page) =>
        page
          .getByRole('button', { name: /^Send msg_/ })
          .first()
          .waitFor(),
    ],
    ['Keys', (page) => page.getByRole('button', { name: /^Rotate key/ }).waitFor()],
    ['Users', (page) => page.getByRole('table', { name: 'Users, newest first' }).waitFor()],
    ['Ledger', (page) => page.getByText('The ledger is sound.').waitFor()],
  ];
  const VIEWS: [name: string, view: ViewOptions][] = [
    ['light', {}],
    ['dark', { dark: true }],
    ['phone', { phone: true }],
  ];
  const PICTURED = ['Health', 'Orders'];

  test.each(VIEWS)(
    'in %s are whole: nothing beyond the edge, nothing without a name, no fault',
    async (name, view) => {
      const visitor = await visit(browser, corridor.config.publicUrl, view);
      const { page, faults } = visitor;
      const look = async (what: string, isPictured: boolean) => {
        await expectWhole(page, what);
        if (isPictured && !view.phone)
          await takePicture(page, `${what.toLowerCase()}-${name}`, { fullPage: true });
      };
      await signIn(visitor, ADMIN_KEY);
      await lookThrough(page, PAGES, (section) => look(section, PICTURED.includes(section)));
      await page.goto(`/console#/orders/${disputed}`);
      await page.getByRole('link', { name: 'Workflow in the Temporal UI' }).waitFor();
      await look('order', false);
      await page.getByRole('link', { name: 'Resolve the dispute' }).click();
      await page.getByLabel('Slash, USD').fill('3.5');
      await page.getByRole('button', { name: 'Work it out' }).click();
      await page
        .getByRole('row', { name: /\bslash\b/ })
        .nth(1)
        .waitFor();
      await look('dispute', true);
      await page.getByRole('button', { name: 'Resolve as cancelled' }).click();
      await page.getByRole('dialog').getByLabel('Reason').waitFor();
      await look('confirmation', false);
      expect(faults).toEqual([]);
      await visitor.context.close();
    },
  );
});
