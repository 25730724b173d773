import { beforeAll, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  cancel,
  claim,
  completedOrder,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
} from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { ADMIN_KEY } from '../../support/corridor.ts';
import { editEvents } from '../../support/edit-events.ts';
import { checkPages, type Section, type View } from '../../support/page-checks.ts';
import { proposeThree } from '../../support/proposals.ts';

/** Every admin page, in both colour schemes and on a phone. RECORD_PICTURES=1 takes the screenshots of docs/console.md. */
describeInBrowser('the admin pages', () => {
  const console = useConsole({ env: { TEMPORAL_UI_URL: 'https://temporal.example', APPROVALS: 'on' } });
  let disputed: number;

  beforeAll(async () => {
    const { corridor } = console;
    const agent = await newAgent(corridor);
    const lp = await newLp(corridor, { collateral: 2_000 });
    const webhooks = { callback_url: corridor.receiver.url };
    for (const amount of [1_295, 6_475, 3_885, 12_950, 2_590, 5_180, 7_770, 1_942.5])
      await completedOrder(corridor, agent, lp, { ...webhooks, amount });
    await expectStatus(200, cancel(agent, await newOrder(agent, webhooks)));
    await spreadEventsOverHours();
    await expectStatus(200, claim(lp, await newOrder(agent, { ...webhooks, amount: 25_900 })));
    await newOrder(agent, { amount: 3_237.5 });
    disputed = await newOrder(agent, webhooks);
    await expectStatus(200, claim(lp, disputed));
    await expectStatus(200, fiatSent(lp, disputed));
    await expectStatus(200, dispute(agent, disputed));
    const withdrawal = { amount: 250, address: 'TMyOwnAddress' };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, withdrawal));
    const ben = { name: 'Ben, night shift', role: 'support' };
    await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ben));
    await proposeThree(corridor, disputed);
  });

  /** Moves the events into the past, so that the throughput chart has more than one point. */
  const spreadEventsOverHours = () =>
    editEvents(
      console.corridor.db.pool,
      `update order_event set created_at = created_at - interval '19 minutes' * (9 - order_id) - interval '3 minutes' * (8 - seq)`,
    );

  const SECTIONS: Section[] = [
    ['Health', (page) => page.locator('canvas').nth(1).waitFor()],
    ['Orders', (page) => page.getByRole('table', { name: 'Orders, newest first' }).waitFor()],
    ['Disputes', (page) => page.getByRole('link', { name: /^Review the dispute/ }).waitFor()],
    ['LPs', (page) => page.getByRole('button', { name: /^Suspend LP/ }).waitFor()],
    ['Withdrawals', (page) => page.getByRole('button', { name: /^Mark as paid/ }).waitFor()],
    ['Approvals', (page) => page.getByRole('button', { name: /^Approve/ }).waitFor()],
    [
      'Webhooks',
      (page) =>
        page
          .getByRole('button', { name: /^Send again/ })
          .first()
          .waitFor(),
    ],
    ['Keys', (page) => page.getByRole('button', { name: /^Rotate key/ }).waitFor()],
    ['Users', (page) => page.getByRole('table', { name: 'Users, newest first' }).waitFor()],
    ['Ledger', (page) => page.getByText('The ledger is consistent.').waitFor()],
    ['Admins', (page) => page.getByRole('button', { name: 'Deactivate Ben, night shift' }).waitFor()],
    ['Audit', (page) => page.locator('td', { hasText: 'Added an admin' }).first().waitFor()],
  ];
  const screenshots = ['Health', 'Orders', 'dispute'];
  const VIEWS: View[] = [
    {
      name: 'light',
      fullPage: true,
      screenshots: [...screenshots, 'order', 'LPs', 'Admins', 'Approvals', 'Audit'],
    },
    { name: 'dark', dark: true, fullPage: true, screenshots },
    { name: 'phone', phone: true, screenshots: ['approval'] },
  ];

  test.each(VIEWS)('in $name fit the window, name every control and have no errors', (view) =>
    checkPages(console, ADMIN_KEY, SECTIONS, view, checkOrderPages),
  );

  async function checkOrderPages(page: Page, check: (name: string) => Promise<void>): Promise<void> {
    await page.goto(`/console#/orders/${disputed}`);
    await page.getByRole('link', { name: 'Workflow in the Temporal UI' }).waitFor();
    await check('order');
    await page.getByRole('link', { name: 'Resolve the dispute' }).click();
    await page.getByLabel('Slash, USD').fill('3.5');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page
      .getByRole('row', { name: /\bslash\b/ })
      .nth(1)
      .waitFor();
    await check('dispute');
    await page.getByRole('button', { name: 'Resolve as cancelled' }).click();
    await page.getByRole('dialog').getByLabel('Reason').waitFor();
    await check('confirmation');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Approvals', exact: true }).click();
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page
      .getByRole('dialog')
      .getByRole('row', { name: /\bslash\b/ })
      .waitFor();
    await check('approval');
  }
});
