import { beforeAll, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  cancel,
  claim,
  completedOrder,
  newAgent,
  newLp,
  newOrder,
} from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { checkPages, type Section, type View } from '../../support/page-checks.ts';
import { expectNoPendingWebhooks } from '../../support/soundness.ts';

/** Every agent page, in both colour schemes and on a phone. RECORD_PICTURES=1 takes the screenshots of docs/console.md. */
describeInBrowser('the agent pages', () => {
  /** Orders whose webhooks the agent's server refuses. */
  const refused = new Set<number>();
  const console = useConsole({
    answerWebhook: (received) => (refused.has(received.at(-1)?.body.order_id ?? 0) ? 503 : 200),
    answerBody: ({ body }) =>
      refused.has(body.order_id) ? '{"error":"the queue of the shop is full, send it again later"}' : '',
  });
  let agent: Agent;
  let failed: number;
  beforeAll(async () => {
    const { corridor } = console;
    agent = await newAgent(corridor);
    const name = { name: 'Lakeside shop' };
    await expectStatus(200, corridor.admin('POST', `/api/admin/agent-keys/${agent.keyId}`, name));
    const lp = await newLp(corridor, { collateral: 2_000 });
    const webhooks = { callback_url: corridor.receiver.url };
    for (const amount of [1_295, 6_475, 3_885])
      await completedOrder(corridor, agent, lp, { ...webhooks, amount });
    await expectStatus(200, claim(lp, await newOrder(agent, { ...webhooks, amount: 25_900 })));
    await newOrder(agent, { ...webhooks, amount: 3_237.5 });
    failed = await newOrder(agent, webhooks);
    refused.add(failed);
    await expectStatus(200, cancel(agent, failed));
    await expectNoPendingWebhooks(corridor.db);
  });

  const ORDERS = (page: Page) => page.getByRole('table', { name: 'Your orders, newest first' }).waitFor();
  const SECTIONS: Section[] = [
    ['Orders', ORDERS],
    ['Webhooks', (page) => page.getByRole('table', { name: 'Your webhooks, newest order first' }).waitFor()],
    ['Key', (page) => page.getByRole('region', { name: 'Unsettled USD' }).waitFor()],
  ];
  const VIEWS: View[] = [
    { name: 'light', fullPage: true, screenshots: ['agent-orders', 'agent-order'] },
    { name: 'dark', dark: true, fullPage: true, screenshots: ['agent-key'] },
    { name: 'phone', phone: true, screenshots: ['agent-order'] },
  ];
  test.each(VIEWS)('in $name fit the window and name every control', (view) =>
    checkPages(console, agent.key, SECTIONS, view, async (page, check) => {
      // The last section is open.
      await check('agent-key');
      await page.goto(`/console#/orders/${failed}`);
      const webhooks = page.getByRole('table', { name: 'Webhooks, oldest first' });
      await webhooks.waitFor();
      await page.getByText(/the last: /).click();
      await page.getByText('Show', { exact: true }).click();
      if (view.phone) await webhooks.scrollIntoViewIfNeeded();
      await check('agent-order');
      await page.getByRole('link', { name: 'Orders', exact: true }).click();
      await ORDERS(page);
      await check('agent-orders');
    }),
  );
});
