import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { expectStatus } from '../../demo/http.ts';
import {
  type Agent,
  claim,
  collateralOf,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  statusOf,
  type TestLp,
} from '../support/actors.ts';
import { openSection, rowOf } from '../support/admin-console.ts';
import { describeInBrowser, startBrowser, type Visitor, visit } from '../support/browser.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually } from '../support/eventually.ts';

/** An admin's work with orders and agents, done in a browser on a Corridor that runs. */
describeInBrowser('the console of admins', () => {
  const UI = 'https://temporal.example';
  let corridor: TestCorridor;
  let browser: Browser;
  let agent: Agent;
  let lp: TestLp;
  let visitor: Visitor;
  /** What the receiver answers to the attempts of each order, in turn; 200 when there is nothing left. */
  const plans = new Map<number, number[]>();
  beforeAll(async () => {
    corridor = await startCorridor({
      env: { TEMPORAL_UI_URL: UI },
      answerWebhook: (received) => plans.get(received.at(-1)?.body.order_id ?? 0)?.shift() ?? 200,
    });
    browser = await startBrowser();
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 100 });
  });
  afterAll(async () => {
    await browser?.close();
    await corridor.stop();
  });
  afterEach(async () => {
    await visitor?.context.close();
    // Neither an error of the page, nor a request to anybody else.
    expect(visitor?.faults).toEqual([]);
    expect([...visitor.origins]).toEqual([corridor.config.publicUrl]);
  });

  async function openConsole(section: string): Promise<Page> {
    visitor = await visit(browser, corridor.config.publicUrl);
    return openSection(visitor, section);
  }
  const disputed = async (): Promise<number> => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, fiatSent(lp, id));
    await expectStatus(200, dispute(agent, id));
    return id;
  };

  test('a dispute is looked at with both its ends worked out, and resolved', async () => {
    const id = await disputed();
    const page = await openConsole('Disputes');
    await rowOf(page, id).getByText('Nothing has arrived').waitFor();
    await rowOf(page, id)
      .getByRole('link', { name: `Look into the dispute of order ${id}` })
      .click();
    const end = (outcome: string) =>
      page.getByRole('article').filter({ has: page.getByRole('heading', { name: `As ${outcome}` }) });
    await end('completed')
      .getByRole('row', { name: `fee LP ${lp.id}, available platform, fees US$0.05` })
      .waitFor();
    await end('cancelled')
      .getByRole('row', { name: /^release .* US\$10\.00$/ })
      .waitFor();

    // More than the slice covers: refused in the service's own words, and no button to press.
    await page.getByLabel('Slash, USD').fill('10.01');
    await page.getByRole('button', { name: 'Work it out' }).click();
    await end('cancelled')
      .getByRole('alert')
      .getByText('The slice does not cover that slash and the fee')
      .waitFor();
    expect(await page.getByRole('button', { name: /^Resolve as/ }).count()).toBe(0);

    await page.getByLabel('Slash, USD').fill('3.5');
    await page.getByRole('button', { name: 'Work it out' }).click();
    await end('cancelled')
      .getByRole('row', { name: /^slash .* platform, slashed US\$3\.50$/ })
      .waitFor();
    expect(await statusOf(agent, id)).toBe('disputed');

    await page.getByRole('button', { name: 'Resolve as cancelled' }).click();
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as cancelled` });
    await dialog.getByText('The LP loses US$3.50 of its collateral.').waitFor();
    await dialog.getByLabel('Reason').fill('The fiat never left');
    await dialog.getByRole('button', { name: 'Resolve as cancelled' }).click();
    await page.getByRole('status').getByText(`Order ${id} is cancelled.`).waitFor();

    // On the order's own page by now, with why at the end of its timeline.
    await page.getByRole('list', { name: 'Timeline' }).getByText('The fiat never left').waitFor();
    await page.getByText('It has ended.').waitFor();
    expect(await statusOf(agent, id)).toBe('cancelled');
    expect(await collateralOf(corridor, lp)).toEqual({ available: 96.5, locked: 0 });
  });

  test('a dispute that somebody else has resolved meanwhile is refused in the service’s words', async () => {
    const id = await disputed();
    const page = await openConsole('Disputes');
    await rowOf(page, id)
      .getByRole('link', { name: `Look into the dispute of order ${id}` })
      .click();
    await page.getByRole('button', { name: 'Resolve as completed' }).click();
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as completed` });
    await dialog.getByLabel('Reason').fill('It has arrived');
    // Between two looks of the page.
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route(`**/api/admin/orders/${id}`, async (route) => {
      await held;
      await route.continue();
    });
    const body = { outcome: 'cancelled', slash_usd: 0, reason: 'It has not' };
    await expectStatus(200, corridor.admin('POST', `/api/admin/orders/${id}/resolve`, body));
    await dialog.getByRole('button', { name: 'Resolve as completed' }).click();
    await dialog.getByRole('alert').waitFor();
    letGo();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('This order is not disputed: it is cancelled.').waitFor();
    await page.getByRole('alert').getByText(`Order ${id}: `).waitFor();
  });

  test('a key is created, rotated and deactivated, and each secret is shown once', async () => {
    const page = await openConsole('Keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const creation = page.getByRole('dialog', { name: 'Create an agent key' });
    await creation.getByLabel('Name').fill('the shop');
    await creation.getByRole('button', { name: 'Create the key' }).click();

    const shown = async (): Promise<string> => {
      const dialog = page.getByRole('dialog', { name: /^The secret of key/ });
      const secret = await dialog.locator('code').innerText();
      await dialog.getByText('it is not shown again').waitFor();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await dialog.waitFor({ state: 'detached' });
      return secret;
    };
    const first = await shown();
    const row = page.getByRole('row').filter({ hasText: 'the shop' });
    await row.getByText('never').waitFor();
    expect(await page.content()).not.toContain(first);
    const lists = (secret: string) => corridor.as(secret)('GET', '/api/v1/orders');
    expect((await lists(first)).status).toBe(200);

    await row.getByRole('button', { name: /^Rotate key/ }).click();
    const rotation = page.getByRole('dialog', { name: /^Rotate key/ });
    await rotation.getByLabel('The old secret goes on for').selectOption('not at all: it has leaked');
    await rotation.getByRole('button', { name: 'Rotate the key' }).click();
    const second = await shown();
    expect(second).not.toBe(first);
    expect([(await lists(second)).status, (await lists(first)).status]).toEqual([200, 403]);

    await row.getByRole('button', { name: /^Change key/ }).click();
    const change = page.getByRole('dialog', { name: /^Change key/ });
    await change.getByLabel('Requests a minute').fill('600');
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('600').waitFor();

    await row.getByRole('button', { name: /^Deactivate key/ }).click();
    await page.getByRole('button', { name: 'Deactivate it for good' }).click();
    await row.getByText('inactive').waitFor();
    expect((await lists(second)).status).toBe(403);
  });

  test('a webhook that was given up is found and sent again', async () => {
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    plans.set(id, [500, 500, 500]);
    await expectStatus(200, claim(lp, id));
    const page = await openConsole('Webhooks');
    const givenUp = () => corridor.admin('GET', '/api/admin/webhook-deliveries?state=exhausted');
    const [delivery] = await eventually(async () => {
      const { deliveries } = (await givenUp()).body;
      return deliveries.length > 0 && deliveries;
    });
    await page.getByLabel('State').selectOption('exhausted');
    await page.getByRole('button', { name: 'Show' }).click();
    const row = rowOf(page, delivery.id);
    await row.getByText('3, the last: 500').click();
    await row.getByRole('listitem').nth(2).getByText('500 after').waitFor();
    await row.getByRole('button', { name: `Send msg_${delivery.id} again` }).click();
    await page.getByRole('status').getByText(`msg_${delivery.id} is sent again.`).waitFor();

    await page.getByLabel('State').selectOption('delivered');
    await page.getByRole('button', { name: 'Show' }).click();
    await row.getByText('4, the last: 200').waitFor();
    expect(corridor.receiver.received.filter(({ body }) => body.order_id === id)).toHaveLength(4);
    await page.goBack();
    await page.getByText('No webhook is like this.').waitFor();
  });

  test('orders are filtered, opened, linked to their workflow, and stopped and let go', async () => {
    const id = await newOrder(agent);
    const page = await openConsole('Orders');
    await page.getByLabel('Status').selectOption('matched');
    await page.getByLabel('Agent key').fill(String(agent.keyId));
    await page.getByRole('button', { name: 'Show' }).click();
    await rowOf(page, id)
      .getByRole('link', { name: `#${id}` })
      .click();
    const link = page.getByRole('link', { name: 'Workflow in the Temporal UI' });
    const namespace = corridor.config.temporalNamespace;
    expect(await link.getAttribute('href')).toBe(`${UI}/namespaces/${namespace}/workflows/order-${id}`);

    await page.getByRole('button', { name: 'Freeze' }).click();
    const dialog = page.getByRole('dialog', { name: `Freeze order ${id}` });
    await dialog.getByLabel('Reason').fill('To be looked at');
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('To be looked at').waitFor();
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByLabel('Reason').fill('Nothing was wrong');
    await page.getByRole('dialog').getByRole('button', { name: 'Unfreeze' }).click();

    // A deadline that is no extension is refused, and what was written stays.
    await page.getByRole('button', { name: 'Extend' }).click();
    const extension = page.getByRole('dialog', { name: `Extend order ${id}` });
    await extension.getByLabel('New deadline').fill('2020-01-01T00:00');
    await extension.getByLabel('Reason').fill('A bank holiday');
    await extension.getByRole('button', { name: 'Extend' }).click();
    await extension.getByRole('alert').getByText('until must be in the future').waitFor();
    expect(await extension.getByLabel('Reason').inputValue()).toBe('A bank holiday');
    await page.keyboard.press('Escape');
    await extension.waitFor({ state: 'detached' });

    await page.goto('/console#/orders/999999');
    await page.getByRole('alert').getByText('Not found').waitFor();
  });
});
