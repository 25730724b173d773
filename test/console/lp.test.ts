import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import {
  type Agent,
  confirm,
  newAgent,
  newLp,
  newOrder,
  settle,
  statusOf,
  type TestLp,
  transaction,
} from '../support/actors.ts';
import { describeInBrowser, signIn, startBrowser, type Visitor, visit } from '../support/browser.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { HEADS } from '../support/receipts.ts';

/** LPs at the console, each in a browser of its own, on a real Corridor. */
describeInBrowser('LPs at the console', () => {
  let corridor: TestCorridor;
  let browser: Browser;
  let agent: Agent;
  const visitors: Visitor[] = [];

  beforeAll(async () => {
    corridor = await startCorridor();
    agent = await newAgent(corridor);
    browser = await startBrowser();
  });
  afterEach(async () => {
    for (const { context, faults, origins } of visitors.splice(0)) {
      await context.close();
      expect(faults).toEqual([]);
      expect([...origins]).toEqual([corridor.config.publicUrl]);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await corridor.stop();
  });

  async function atTheMarket(lp: TestLp): Promise<Page> {
    const visitor = await visit(browser, corridor.config.publicUrl);
    visitors.push(visitor);
    await signIn(visitor, lp.key);
    await visitor.page.getByText('live', { exact: true }).waitFor();
    return visitor.page;
  }

  const offer = (page: Page, id: number) => page.locator(`[data-row="${id}"]`);
  const claimButton = (page: Page, id: number) =>
    page.getByRole('table').getByRole('button', { name: `Claim order ${id}`, exact: true });
  const inHand = (page: Page, id: number) => page.getByRole('article', { name: `Order ${id}`, exact: true });
  const gone = (page: Page, id: number) => offer(page, id).waitFor({ state: 'detached' });

  test('two race for an order: one has it and sees it through, the other is offered the next best', async () => {
    const [swift, slow] = [await newLp(corridor), await newLp(corridor)];
    const [first, second] = [await atTheMarket(swift), await atTheMarket(slow)];
    await first.getByText('No order is open now.').waitFor();
    const wanted = await newOrder(agent);
    const spare = await newOrder(agent, { amount: 2_590 });
    for (const page of [first, second]) {
      await claimButton(page, wanted).waitFor();
      await claimButton(page, spare).waitFor();
      // What a claim means is told before it is made, and with the button.
      const told = await offer(page, wanted).locator('small').textContent();
      expect(told).toMatch(/^locks US\$10\.00, earns US\$0\.00, due by \d\d:\d\d$/);
    }

    // The second one's line is slow: its claim is shown as made, and reaches the service when the first has won.
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await second.route(`**/api/orders/${wanted}/claim`, async (route) => {
      await held;
      await route.continue();
    });
    await claimButton(second, wanted).click();
    await inHand(second, wanted).getByText('claimed').waitFor();
    await claimButton(first, wanted).click();
    await first
      .getByRole('status')
      .getByText(`Order ${wanted} is yours: US$10.00 are locked for it.`)
      .waitFor();
    letGo();

    const lost = second.getByRole('alert').filter({ hasText: `Order ${wanted}` });
    await lost.getByText('Order not claimable. Another LP was faster. Next best: order').waitFor();
    await inHand(second, wanted).waitFor({ state: 'detached' });
    await gone(second, wanted);
    await lost.getByRole('button', { name: `Claim order ${spare}` }).click();
    await inHand(second, spare).getByText('+254700123456').waitFor();
    await gone(first, spare);

    // The winner's order, to its end. Whom to pay is told with the claim.
    const mine = inHand(first, wanted);
    await mine.getByText('+254700123456').waitFor();
    await mine
      .getByLabel(`Receipt for order ${wanted}`)
      .setInputFiles({ name: 'paid.png', mimeType: 'image/png', buffer: HEADS['image/png'] });
    await first.getByText(`The receipt is with order ${wanted}.`).waitFor();
    await mine.getByRole('button', { name: 'Fiat sent' }).click();
    await mine.getByText('fiat sent', { exact: true }).waitFor();
    // What is shown may be ahead of the service by a moment.
    await eventuallyEquals(() => statusOf(agent, wanted), 'fiat_sent');
    await confirm(agent, wanted);
    await mine.getByText('confirmed', { exact: true }).waitFor();
    await settle(agent, wanted, await transaction(corridor.anyone, swift.address, 10.05));
    await mine.waitFor({ state: 'detached' });

    await first.getByRole('link', { name: 'Your orders' }).click();
    await first.getByRole('link', { name: `Order ${wanted}`, exact: true }).click();
    const timeline = first.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('completed').waitFor();
    expect(await timeline.getByRole('listitem').count()).toBe(6);
    const [receipt] = await Promise.all([
      first.waitForEvent('download'),
      first.getByRole('button', { name: 'Download the receipt' }).click(),
    ]);
    expect(receipt.suggestedFilename()).toBe(`receipt-${wanted}.png`);

    await first.getByRole('link', { name: 'History' }).click();
    await first.locator('canvas').first().waitFor();
    await first.getByRole('region', { name: 'In all' }).getByText('US$10.00').waitFor();
    await first.getByRole('link', { name: 'Collateral' }).click();
    await first.getByRole('table', { name: 'Fees that you have paid' }).getByText('US$0.05').waitFor();
  });

  test('two that claim at the same moment: exactly one has the order, and both see the same', async () => {
    const pages = [await atTheMarket(await newLp(corridor)), await atTheMarket(await newLp(corridor))];
    const id = await newOrder(agent);
    await Promise.all(pages.map((page) => claimButton(page, id).waitFor()));
    // Both have clicked before either is heard.
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    for (const page of pages) {
      await page.route(`**/api/orders/${id}/claim`, async (route) => {
        await held;
        await route.continue();
      });
      await claimButton(page, id).click();
    }
    letGo();
    await Promise.all(
      pages.map((page) => page.getByText(/Order \d+ is yours|Order not claimable/).waitFor()),
    );
    const owners = await Promise.all(
      pages.map((page) => inHand(page, id).getByText('+254700123456').count()),
    );
    await Promise.all(pages.map((page) => gone(page, id)));
    expect(owners.sort()).toEqual([0, 1]);
  });

  test('gives an order back, which is then open for others, and disputes another with a reason', async () => {
    const [lp, other] = [await newLp(corridor), await newLp(corridor)];
    const [page, others] = [await atTheMarket(lp), await atTheMarket(other)];
    const id = await newOrder(agent);
    await claimButton(page, id).click();
    await gone(others, id);
    await inHand(page, id).getByRole('button', { name: 'Give back' }).click();
    await inHand(page, id).waitFor({ state: 'detached' });
    // One that let it down is not offered it again.
    await claimButton(others, id).click();
    await inHand(others, id).getByRole('button', { name: 'Fiat sent' }).click();
    await inHand(others, id)
      .getByRole('link', { name: `Order ${id}`, exact: true })
      .click();
    await others.getByLabel('Reason').fill('The agent does not answer');
    await others.getByRole('button', { name: `Dispute, order ${id}` }).click();
    const timeline = others.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('The agent does not answer').waitFor();
    await timeline.getByText('waits for the admin').waitFor();
    expect(await offer(page, id).count()).toBe(0);
  });

  test('shows a step that is refused as what it is, in the service’s words', async () => {
    const lp = await newLp(corridor);
    const page = await atTheMarket(lp);
    const id = await newOrder(agent);
    await claimButton(page, id).click();
    await inHand(page, id).getByText('+254700123456').waitFor();
    await corridor.admin('POST', `/api/admin/orders/${id}/freeze`, { reason: 'The operator looks into it' });
    await inHand(page, id).getByRole('button', { name: 'Fiat sent' }).click();
    await page.getByText(`Order ${id}: An admin has frozen this order`).waitFor();
    await inHand(page, id).getByText('claimed', { exact: true }).waitFor();
    await inHand(page, id)
      .getByLabel(`Receipt for order ${id}`)
      .setInputFiles({
        name: 'receipt.png',
        mimeType: 'image/png',
        buffer: Buffer.from('no picture'),
      });
    await page.getByText(`Order ${id}: The file must be a png, jpg, webp, gif, pdf or heic`).waitFor();
  });

  test('rings and counts in the title what comes in while nobody looks', async () => {
    const page = await atTheMarket(await newLp(corridor));
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

  test('goes on by itself when the service was away', async () => {
    const lp = await newLp(corridor);
    const visitor = await visit(browser, corridor.config.publicUrl);
    visitors.push(visitor);
    const { page } = visitor;
    // Nor does it wait for its next regular look.
    await page.addInitScript('globalThis.setInterval = () => 0;');
    await page.reload();
    await signIn(visitor, lp.key);
    await page.getByText('live', { exact: true }).waitFor();
    await corridor.stopApi();
    await page.getByText('not live: looking every few seconds').waitFor();
    await page.getByText('Corridor cannot be reached. What is shown may be old.').waitFor();
    await corridor.startApi();
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('Corridor cannot be reached').waitFor({ state: 'detached' });
    await offer(page, await newOrder(agent)).waitFor();
  });

  test('follows terms that are changed elsewhere, and says what is in the way of a claim', async () => {
    const lp = await newLp(corridor, { asset: false });
    const page = await atTheMarket(lp);
    await page.getByRole('link', { name: 'register a receive address' }).waitFor();
    await lp.call('POST', `/api/lp/${lp.key}/assets`, { symbol: 'usdt', chain: 'trx', address: lp.address });
    const [claimed, left] = [await newOrder(agent), await newOrder(agent)];
    await offer(page, left).getByText('earns US$0.00').waitFor();
    await lp.call('POST', `/api/lp/${lp.key}/rates`, { currency: 'KES', rate_usd: 100 });
    // The desk is read anew with what becomes of its own orders.
    await claimButton(page, claimed).click();
    await offer(page, left).getByText('loses US$2.95').waitFor();
    await page.getByRole('link', { name: 'register a receive address' }).waitFor({ state: 'detached' });
  });

  test('sets its terms: what it is offered follows them at once', async () => {
    const page = await atTheMarket(await newLp(corridor, { asset: false, collateral: 0 }));
    await page.getByText('No collateral is available').waitFor();
    await page.getByRole('link', { name: 'Terms' }).click();
    const rates = page.getByRole('region', { name: 'Rates' });
    await rates.getByLabel('Currency').fill('kes');
    await rates.getByLabel('Units for one US dollar').fill('259');
    await rates.getByRole('button', { name: 'Publish rate' }).click();
    await rates.getByRole('cell', { name: '259' }).waitFor();
    const assets = page.getByRole('region', { name: 'Receive addresses' });
    // What is empty says what it is.
    await assets.getByText('Where you are paid').waitFor();
    await assets.getByLabel('Token').fill('no token');
    await assets.getByLabel('Address').fill('TSomewhereElse');
    await assets.getByRole('button', { name: 'Register address' }).click();
    // In the service's words, and what was written is still there.
    await assets
      .getByRole('alert')
      .getByText('Validation failed: symbol must be a token symbol such as usdt')
      .waitFor();
    expect(await assets.getByLabel('Address').inputValue()).toBe('TSomewhereElse');
    await assets.getByLabel('Token').fill('usdt');
    await assets.getByRole('button', { name: 'Register address' }).click();
    await assets.getByRole('cell', { name: 'TSomewhereElse' }).waitFor();
    await page.getByText('In usdt on trx you are paid at TSomewhereElse.').waitFor();
    // The news before it is gone: messages stand before the page.
    expect(await page.getByText('Your rate for KES is published.').count()).toBe(0);

    await page.getByRole('link', { name: 'Collateral' }).click();
    const deposits = page.getByRole('region', { name: 'Deposits' });
    await deposits.getByLabel('Amount').fill('50');
    await deposits.getByRole('button', { name: 'Announce deposit' }).click();
    await deposits.getByRole('button', { name: /Confirm deposit/ }).click();
    await page.getByRole('region', { name: 'Balance' }).getByText('US$50.00').first().waitFor();
    const withdrawals = page.getByRole('region', { name: 'Withdrawals' });
    await withdrawals.getByLabel('Amount').fill('60');
    await withdrawals.getByLabel('Address').fill('TMine');
    await withdrawals.getByRole('button', { name: 'Ask for withdrawal' }).click();
    await withdrawals.getByRole('alert').getByText('Insufficient collateral').waitFor();
    await withdrawals.getByLabel('Amount').fill('20');
    await withdrawals.getByRole('button', { name: 'Ask for withdrawal' }).click();
    await withdrawals.getByRole('cell', { name: '20 USDT' }).waitFor();

    // At its own rate, which is worth twice what the others pay, half of the order is profit; 30 USD are left to lock.
    const id = await newOrder(agent);
    const large = await newOrder(agent, { amount: 12_950 });
    await page.getByRole('link', { name: 'Market' }).click();
    await offer(page, id).getByText('earns US$', { exact: false }).waitFor();
    await offer(page, large).getByText('more than you have available').waitFor();
    expect(await claimButton(page, large).isDisabled()).toBe(true);

    await page.getByRole('link', { name: 'Terms' }).click();
    const auto = page.getByRole('region', { name: 'Claiming by itself' });
    await auto.getByLabel('Claim orders for me').check();
    await auto.getByLabel('Highest value in USD').fill('15');
    await auto.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Claiming by itself is on.').waitFor();
    await page.getByRole('link', { name: 'Market' }).click();
    await page.getByRole('article').first().waitFor();
  });
});
