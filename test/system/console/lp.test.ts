import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  cancel,
  confirm,
  newAgent,
  newLp,
  newOrder,
  payment,
  settle,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { holdRequests, useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { HEADS } from '../../support/receipts.ts';

/** Each LP has its own browser profile. */
describeInBrowser('an LP in the console', () => {
  const console = useConsole();
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    corridor = console.corridor;
    agent = await newAgent(corridor);
  });

  /** While the mouse is in the table of open orders, no row moves. */
  const leaveTable = (page: Page) => page.mouse.move(0, 0);

  async function openMarket(lp: TestLp): Promise<Page> {
    const visitor = await console.visit();
    await signIn(visitor, lp.key);
    await visitor.page.getByText('live', { exact: true }).waitFor();
    await leaveTable(visitor.page);
    return visitor.page;
  }

  const offer = (page: Page, id: number) => page.locator(`[data-row="${id}"]`);
  const claimButton = (page: Page, id: number) =>
    page.getByRole('table').getByRole('button', { name: `Claim order ${id}`, exact: true });
  const activeOrder = (page: Page, id: number) =>
    page.getByRole('article', { name: `Order ${id}`, exact: true });
  const untilGone = async (page: Page, id: number) => {
    await leaveTable(page);
    await offer(page, id).waitFor({ state: 'detached' });
  };
  /** Presses the button of a step, reads the dialog, and confirms it. */
  async function takeStep(page: Page, id: number, step: string, says: string | RegExp, reason = '') {
    await page.getByRole('button', { name: `${step}, order ${id}` }).click();
    const dialog = page.getByRole('dialog', { name: `${step}, order ${id}` });
    await dialog.getByText(says).waitFor();
    if (reason) await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: step, exact: true }).click();
  }

  test('the winner of a race for an order completes it; the loser sees the next best order', async () => {
    const [winner, loser] = [await newLp(corridor), await newLp(corridor)];
    const [first, second] = [await openMarket(winner), await openMarket(loser)];
    await first.getByText('No orders are open.').waitFor();
    const wanted = await newOrder(agent);
    const spare = await newOrder(agent, { amount: 2_590 });
    for (const page of [first, second]) {
      await claimButton(page, wanted).waitFor();
      await claimButton(page, spare).waitFor();
      await offer(page, wanted).getByText('Mobile money +2•••••••••56').waitFor();
      // The terms of a claim are beside its button. Screen readers read all of them.
      const terms = await offer(page, wanted)
        .locator('small', { hasText: /^locks / })
        .textContent();
      expect(terms).toMatch(/^locks US\$10\.00, earns US\$0\.00, due by \d\d:\d\d$/);
    }

    // The second page shows its claim immediately. The claim reaches the service after the first LP has won.
    const release = await holdRequests([second], `**/api/orders/${wanted}/claim`);
    await claimButton(second, wanted).click();
    await activeOrder(second, wanted).getByText('claimed').waitFor();
    await claimButton(first, wanted).click();
    await first
      .getByRole('status')
      .getByText(`Order ${wanted} is yours. US$10.00 of your collateral is locked for it.`)
      .waitFor();
    release();

    const lost = second.getByRole('alert').filter({ hasText: `Order ${wanted}` });
    await lost.getByText('Order not claimable. Another LP was faster. Next best: order').waitFor();
    await activeOrder(second, wanted).waitFor({ state: 'detached' });
    await untilGone(second, wanted);
    await lost.getByRole('button', { name: `Claim order ${spare}` }).click();
    await activeOrder(second, spare).getByText('+254700123456').waitFor();
    await untilGone(first, spare);

    // The winner completes the order. The claim reveals the recipient.
    const mine = activeOrder(first, wanted);
    await mine.getByText('+254700123456').waitFor();
    await mine
      .getByLabel(`Receipt for order ${wanted}`)
      .setInputFiles({ name: 'paid.png', mimeType: 'image/png', buffer: HEADS['image/png'] });
    await first.getByText(`The receipt for order ${wanted} is uploaded.`).waitFor();
    await takeStep(first, wanted, 'Fiat sent', 'You have sent 1,295 KES to +254700123456');
    await mine.getByText('fiat sent', { exact: true }).waitFor();
    // The page shows the step before the service has recorded it.
    await eventuallyEquals(() => statusOf(agent, wanted), 'fiat_sent');
    await confirm(agent, wanted);
    await mine.getByText('confirmed', { exact: true }).waitFor();
    await settle(agent, wanted, await payment(corridor, agent, wanted));
    await mine.waitFor({ state: 'detached' });

    await first.getByRole('link', { name: 'Your orders' }).click();
    await first.getByRole('link', { name: `Order ${wanted}`, exact: true }).click();
    const timeline = first.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('completed').waitFor();
    await eventuallyEquals(() => timeline.getByRole('listitem').count(), 6);
    const [receipt] = await Promise.all([
      first.waitForEvent('download'),
      first.getByRole('button', { name: 'Download the receipt' }).click(),
    ]);
    expect(receipt.suggestedFilename()).toBe(`receipt-${wanted}.png`);

    await first.getByRole('link', { name: 'History' }).click();
    await first.locator('canvas').first().waitFor();
    await first.getByRole('region', { name: 'Totals' }).getByText('US$10.00').waitFor();
    await first.getByRole('link', { name: 'Collateral' }).click();
    await first.getByRole('table', { name: 'Newest fees' }).getByText('US$0.05').waitFor();
  });

  test('of two simultaneous claims exactly one wins, and both pages agree', async () => {
    const pages = [await openMarket(await newLp(corridor)), await openMarket(await newLp(corridor))];
    const id = await newOrder(agent);
    await Promise.all(pages.map((page) => claimButton(page, id).waitFor()));
    // Both LPs click before either request reaches the service.
    const release = await holdRequests(pages, `**/api/orders/${id}/claim`);
    for (const page of pages) await claimButton(page, id).click();
    release();
    await Promise.all(
      pages.map((page) => page.getByText(/Order \d+ is yours|Order not claimable/).waitFor()),
    );
    const owners = async () => {
      const all = pages.map((page) => activeOrder(page, id).getByText('+254700123456').count());
      return (await Promise.all(all)).sort().join();
    };
    // The winner's page shows the recipient once it has read the order again.
    await eventuallyEquals(owners, '0,1');
    await Promise.all(pages.map((page) => untilGone(page, id)));
    expect(await owners()).toBe('0,1');
  });

  test('releases an order, which opens for others, and disputes another order with a reason', async () => {
    const [lp, other] = [await newLp(corridor), await newLp(corridor)];
    const [page, others] = [await openMarket(lp), await openMarket(other)];
    const id = await newOrder(agent);
    await claimButton(page, id).click();
    await untilGone(others, id);
    await takeStep(page, id, 'Release', 'you have 3 free releases left today');
    await activeOrder(page, id).waitFor({ state: 'detached' });
    // The order is not offered again to an LP that released it.
    await claimButton(others, id).click();
    await takeStep(others, id, 'Fiat sent', 'You can no longer release the order.');
    await activeOrder(others, id)
      .getByRole('link', { name: `Order ${id}`, exact: true })
      .click();
    await takeStep(others, id, 'Dispute', 'An admin decides who is right.', 'The agent does not answer');
    const timeline = others.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('The agent does not answer').waitFor();
    await timeline.getByText('waits for an admin').waitFor();
    expect(await offer(page, id).count()).toBe(0);
  });

  test('sees a refused step reverted, with the service’s message', async () => {
    const lp = await newLp(corridor);
    const page = await openMarket(lp);
    const id = await newOrder(agent);
    await claimButton(page, id).click();
    await activeOrder(page, id).getByText('+254700123456').waitFor();
    await expectStatus(200, adminDoes(corridor.admin, 'freeze', id));
    await takeStep(page, id, 'Fiat sent', '+254700123456');
    await page.getByText(`Order ${id}: This order is frozen: only an admin can let it continue`).waitFor();
    await activeOrder(page, id).getByText('claimed', { exact: true }).waitFor();
    await activeOrder(page, id)
      .getByLabel(`Receipt for order ${id}`)
      .setInputFiles({
        name: 'receipt.png',
        mimeType: 'image/png',
        buffer: Buffer.from('no picture'),
      });
    await page.getByText(`Order ${id}: The file must be a png, jpg, webp, gif, pdf or heic`).waitFor();
  });

  test('confirms a lasting step before it is taken: Escape takes none, and the focus returns', async () => {
    const lp = await newLp(corridor);
    const page = await openMarket(lp);
    const id = await newOrder(agent);
    await claimButton(page, id).click();
    await activeOrder(page, id).getByText('+254700123456').waitFor();
    const button = page.getByRole('button', { name: `Fiat sent, order ${id}` });
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await page.evaluate(`document.activeElement.getAttribute('aria-label')`)).toBe(
      `Fiat sent, order ${id}`,
    );
    expect(await statusOf(agent, id)).toBe('claimed');
  });

  test('keeps the places of the open orders while the mouse or the keyboard is among them', async () => {
    const page = await openMarket(await newLp(corridor, { currency: 'RWF', rate: 1_295 }));
    const inRwanda = { currency: 'RWF', recipient: '+250788123456' };
    const [small, large] = [
      await newOrder(agent, { amount: 12_950, ...inRwanda }),
      await newOrder(agent, { amount: 25_900, ...inRwanda }),
    ];
    await claimButton(page, small).waitFor();
    await claimButton(page, large).hover();
    const places = () =>
      page.evaluate<string[]>(`[...document.querySelectorAll('[data-row]')].map((row) => row.dataset.row)`);
    const before = await places();
    const newer = await newOrder(agent, { amount: 6_475, ...inRwanda });
    const show = page.getByRole('button', { name: 'Show 1 new order' });
    await show.waitFor();
    await cancel(agent, small);
    await offer(page, small).getByText('no longer open').waitFor();
    expect(before).toEqual(expect.arrayContaining([String(small), String(large)]));
    expect(await places()).toEqual(before);
    await show.click();
    await claimButton(page, newer).waitFor();
    await offer(page, small).waitFor({ state: 'detached' });

    await claimButton(page, large).focus();
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    const last = await newOrder(agent, { amount: 5_180, ...inRwanda });
    await show.waitFor();
    expect(await offer(page, last).count()).toBe(0);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Shift+Tab');
    await claimButton(page, last).waitFor();
  });

  test('announces new orders by sound, and the title counts those that arrive while the page is hidden', async () => {
    const page = await openMarket(await newLp(corridor));
    await page.evaluate(`
      globalThis.tones = 0;
      OscillatorNode.prototype.start = new Proxy(OscillatorNode.prototype.start, {
        apply: (start, node, when) => { globalThis.tones += 1; return Reflect.apply(start, node, when); },
      });
      Object.defineProperty(document, 'hasFocus', { value: () => false, configurable: true });`);
    const ids = [await newOrder(agent), await newOrder(agent)];
    await Promise.all(ids.map((id) => offer(page, id).waitFor()));
    await eventuallyEquals(() => page.title(), '(2) Market · Corridor');
    expect(await page.evaluate('globalThis.tones')).toBe(4);
    await page.evaluate(`
      Object.defineProperty(document, 'hasFocus', { value: () => true, configurable: true });
      dispatchEvent(new Event('focus'));`);
    await eventuallyEquals(() => page.title(), 'Market · Corridor');
    await page.getByRole('button', { name: 'Sound on new orders', pressed: true }).click();
    const next = await newOrder(agent);
    await offer(page, next).waitFor();
    expect(await page.evaluate('globalThis.tones')).toBe(4);
  });

  test('continues without a reload after an outage of the service', async () => {
    const lp = await newLp(corridor);
    const visitor = await console.visit();
    const { page } = visitor;
    // Without timers, the page cannot depend on its regular refresh.
    await page.addInitScript('globalThis.setInterval = () => 0;');
    await page.reload();
    await signIn(visitor, lp.key);
    await page.getByText('live', { exact: true }).waitFor();
    await corridor.stopApi();
    await page.getByText('not live: refreshing every few seconds').waitFor();
    await page.getByText('Corridor cannot be reached. This page may be out of date.').waitFor();
    await corridor.startApi();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('Corridor cannot be reached').waitFor({ state: 'detached' });
    await leaveTable(page);
    await offer(page, await newOrder(agent)).waitFor();
  });

  test('sees terms that another client changed, and what blocks a claim', async () => {
    const lp = await newLp(corridor, { asset: false });
    const page = await openMarket(lp);
    await page.getByRole('link', { name: 'register a receive address' }).waitFor();
    await lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'trx', address: lp.address });
    const [claimed, other] = [await newOrder(agent), await newOrder(agent)];
    await offer(page, other).getByText('earns US$0.00').waitFor();
    await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 100 });
    // A change of the LP's own orders reloads the dashboard, and with it the terms.
    await claimButton(page, claimed).click();
    await offer(page, other).getByText('loses US$2.95').waitFor();
    await page.getByRole('link', { name: 'register a receive address' }).waitFor({ state: 'detached' });
  });

  test('sets its terms, and its offers follow them immediately', async () => {
    const page = await openMarket(await newLp(corridor, { asset: false, collateral: 0 }));
    await page.getByText('No collateral is available').waitFor();
    await page.getByRole('link', { name: 'Terms' }).click();
    const card = page.getByRole('article', { name: 'KES · Mobile money' });
    await card.getByRole('button', { name: 'Renew the rate' }).click();
    await page.getByRole('dialog').getByLabel('Units for one US dollar').fill('259');
    await page.getByRole('button', { name: 'Publish the rate' }).click();
    await card.getByText('259 KES').waitFor();
    // Until the dialog has closed, the page below takes no input.
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const assets = page.getByRole('region', { name: 'Receive addresses' });
    // An empty table still shows its caption.
    await assets.getByText('Your receive addresses').waitFor();
    await assets.getByLabel('Token').fill('no token');
    await assets.getByLabel('Address').fill('TSomewhereElse');
    await assets.getByRole('button', { name: 'Register address' }).click();
    // The form shows the service's message and keeps its values.
    await assets
      .getByRole('alert')
      .getByText('Validation failed: symbol must be a token symbol such as usdt')
      .waitFor();
    expect(await assets.getByLabel('Address').inputValue()).toBe('TSomewhereElse');
    await assets.getByLabel('Token').fill('usdt');
    await assets.getByRole('button', { name: 'Register address' }).click();
    await page.getByText('You receive USDT on Tron at TSomewhereElse.').waitFor();
    await assets.getByRole('cell', { name: 'TSomewhereElse' }).waitFor();
    // A new success message replaces the last one, since messages cover the page.
    expect(await page.getByText('Your rate for KES · Mobile money is published.').count()).toBe(0);
    // As with `ADDRESS_HOLD`: the change waits.
    await corridor.db.pool.query(
      `update lp_asset set previous_address = 'TBefore', previous_until = now() + interval '1 day'
       where address = 'TSomewhereElse'`,
    );
    await page.reload();
    await assets.getByRole('cell', { name: /^TBefore .*From .* on: TSomewhereElse\. To cancel/ }).waitFor();

    await page.getByRole('link', { name: 'Collateral' }).click();
    const deposits = page.getByRole('region', { name: 'Deposits' });
    await deposits.getByLabel('Amount').fill('50');
    await deposits.getByRole('button', { name: 'Announce deposit' }).click();
    await deposits.getByRole('button', { name: /Confirm deposit/ }).click();
    // The exact amount of the deposit is up to a cent larger.
    await page
      .getByRole('region', { name: 'Balance' })
      .getByText(/US\$50\.0[01]/)
      .first()
      .waitFor();
    const withdrawals = page.getByRole('region', { name: 'Withdrawals' });
    await withdrawals.getByLabel('Amount').fill('60');
    await withdrawals.getByLabel('Address').fill('TMine');
    await withdrawals.getByRole('button', { name: 'Request withdrawal' }).click();
    await withdrawals.getByRole('alert').getByText('Insufficient collateral').waitFor();
    await withdrawals.getByLabel('Amount').fill('20');
    await withdrawals.getByRole('button', { name: 'Request withdrawal' }).click();
    await withdrawals.getByRole('cell', { name: '20 USDT' }).waitFor();

    // At its own rate half of the order is profit. The LP has 30 USD of collateral left.
    const id = await newOrder(agent);
    const large = await newOrder(agent, { amount: 12_950 });
    await page.getByRole('link', { name: 'Market' }).click();
    await offer(page, id).getByText('earns US$', { exact: false }).waitFor();
    await offer(page, large).getByText('more than your available collateral').waitFor();
    expect(await claimButton(page, large).isDisabled()).toBe(true);

    await page.getByRole('link', { name: 'Terms' }).click();
    const auto = page.getByRole('region', { name: 'Automatic claims' });
    await auto.getByLabel('Claim orders automatically').check();
    await auto.getByLabel('Highest value in USD').fill('15');
    await auto.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Automatic claims are on.').waitFor();
    const hooks = page.getByRole('region', { name: 'Webhooks' });
    await hooks.getByLabel('Webhook URL').fill('https://lp.example/corridor');
    await hooks.getByLabel('Offers that end').uncheck();
    await hooks.getByRole('button', { name: 'Save and make a new secret' }).click();
    const secret = page.getByRole('dialog', { name: 'The secret of your webhooks' });
    await secret.getByText(/^whsec_/).waitFor();
    await secret.getByRole('button', { name: 'Close' }).click();
    await hooks.getByText('Webhooks are on.').waitFor();
    await hooks.getByRole('button', { name: 'Turn webhooks off' }).click();
    await hooks.getByText('Webhooks are off.').waitFor();
    await page.getByRole('link', { name: 'Market' }).click();
    await page.getByRole('article').first().waitFor();
  });
});
