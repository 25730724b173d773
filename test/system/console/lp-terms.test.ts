import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { publishTerms } from '../../../dev/registration.ts';
import { type Agent, claim, newAgent, newLp, newOrder, release, type TestLp } from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { RESOLVER_SECRET, startResolver } from '../../support/recipient-resolver.ts';

const resolver = await startResolver();
afterAll(() => resolver.close());

/** An LP publishes, renews and stops its terms in the console, and its offers follow. */
describeInBrowser('the terms of an LP in the console', () => {
  const console = useConsole({
    env: { RECIPIENT_RESOLVER_URL: resolver.url, RECIPIENT_RESOLVER_SECRET: RESOLVER_SECRET },
  });
  let corridor: TestCorridor;
  let agent: Agent;
  beforeAll(async () => {
    corridor = console.corridor;
    agent = await newAgent(corridor);
  });

  async function open(lp: TestLp, section: 'Market' | 'Terms'): Promise<Page> {
    const visitor = await console.visit();
    await signIn(visitor, lp.key);
    await visitor.page.getByText('live', { exact: true }).waitFor();
    await visitor.page.getByRole('link', { name: section, exact: true }).click();
    return visitor.page;
  }
  const offer = (page: Page, id: number) => page.locator(`[data-row="${id}"]`);
  const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
  const fact = (within: Locator, name: string, value: string | RegExp) =>
    within
      .getByRole('definition')
      .filter({ hasText: value })
      .and(within.locator(`dt:text-is("${name}") + dd`));
  const termsOf = async (lp: TestLp) =>
    (await expectStatus(200, lp.call('GET', `/api/lp/${lp.key}/terms`))).terms;

  /** Holds back the page's dashboard until the page has sent something to `path`, and then its first read of `path`. */
  async function learnOfNothingUntil(page: Page, path: string): Promise<void> {
    let [hasSent, reads] = [false, 0];
    await page.route('**/api/lp/me/dashboard', (route) => (hasSent ? route.continue() : undefined));
    await page.route(path, async (route) => {
      const isRead = route.request().method() === 'GET';
      if (!isRead) hasSent = true;
      if (!isRead || (hasSent && ++reads > 1)) await route.continue();
    });
  }

  const MOBILE = 'KES · Mobile money';
  const BANK = 'KES · Bank transfer';

  test('are published for a second method, changed one by one, and stopped for a currency', async () => {
    const lp = await newLp(corridor);
    const page = await open(lp, 'Terms');
    await fact(card(page, MOBILE), 'For one US dollar', '129.5 KES').waitFor();
    await fact(card(page, MOBILE), 'Float for new orders', 'not counted').waitFor();

    const form = page.getByRole('region', { name: 'Publish terms' });
    await form.getByLabel('Currency').fill('kes');
    // The LP has terms for mobile money already.
    expect(await form.getByLabel('Method').locator('option').allTextContents()).toEqual(
      expect.not.arrayContaining(['Mobile money']),
    );
    await form.getByLabel('Method').selectOption('Bank transfer');
    await form.getByLabel('Units for one US dollar').fill('131');
    await form.getByLabel('Valid for').selectOption('1 hour');
    await form.getByLabel('Smallest order').fill('1000');
    await form.getByLabel('Largest order').fill('50000');
    await form.getByLabel('Float, in KES', { exact: true }).fill('80000');
    await form.getByLabel('Low-float alert').fill('90000');
    await form.getByRole('button', { name: 'Publish terms' }).click();
    await page.getByText('Your terms for KES · Bank transfer are published.').waitFor();
    const bank = card(page, BANK);
    await fact(bank, 'Orders', '1,000 to 50,000 KES').waitFor();
    await fact(bank, 'Float for new orders', '80,000 KES').waitFor();
    await fact(bank, 'Low-float alert', 'below 90,000 KES').waitFor();
    await bank.getByText('Your float is below your alert').waitFor();

    await bank.getByRole('button', { name: 'Limits' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Largest order').fill('500');
    await dialog.getByRole('button', { name: 'Save the limits' }).click();
    // The dialog shows the service's refusal and keeps its values.
    await dialog.getByRole('alert').getByText('must not be above max').waitFor();
    await dialog.getByLabel('Largest order').fill('');
    await dialog.getByLabel('Low-float alert').fill('');
    await dialog.getByRole('button', { name: 'Save the limits' }).click();
    await fact(bank, 'Orders', 'from 1,000 KES').waitFor();
    expect(await bank.getByText('Your float is below your alert').count()).toBe(0);

    await bank.getByRole('button', { name: 'Stop quoting' }).click();
    await bank.getByText('stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop quoting KES', exact: true }).click();
    await card(page, MOBILE).getByText('stopped', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Resume quoting KES', exact: true }).click();
    for (const name of [MOBILE, BANK]) await card(page, name).getByText('quoted', { exact: true }).waitFor();

    const byBank = { method: 'bank_transfer', institution: '68', recipient: '0770123456789' };
    const id = await newOrder(agent, byBank);
    await page.getByRole('link', { name: 'Market' }).click();
    await offer(page, id).getByText('Bank transfer · Equity Bank 07•••••••••89').waitFor();
    await page.getByRole('link', { name: 'Terms' }).click();
    await bank.getByRole('button', { name: 'Stop quoting' }).click();
    await bank.getByText('stopped', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Market' }).click();
    await offer(page, id).waitFor({ state: 'detached' });
  });

  test('are not overwritten: a float that a claim has changed meanwhile is shown, and set again', async () => {
    const lp = await newLp(corridor);
    await publishTerms({ ...lp, own: `/api/lp/${lp.key}` }, { currency: 'KES', float: 20_000 });
    const page = await open(lp, 'Terms');
    const id = await newOrder(agent);
    await card(page, MOBILE).getByRole('button', { name: 'Set the float' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Now 20,000 KES for new orders, and 0 KES reserved').waitFor();
    // The page learns of the claim only after the refusal. Then its new dashboard replaces the dialog's read of the terms.
    await learnOfNothingUntil(page, '**/api/lp/me/terms');
    await expectStatus(200, claim(lp, id));
    await dialog.getByLabel('Float for new orders').fill('30000');
    await dialog.getByRole('button', { name: 'Set the float' }).click();
    await dialog.getByRole('alert').getByText('Your float is 18705 KES').waitFor();
    await dialog.getByText('Now 18,705 KES for new orders, and 1,295 KES reserved').waitFor();
    expect(await termsOf(lp)).toMatchObject([{ float: 18_705, float_reserved: 1_295 }]);

    await dialog.getByLabel('Float for new orders').fill('28705');
    await dialog.getByRole('button', { name: 'Set the float' }).click();
    await dialog.waitFor({ state: 'detached' });
    await fact(card(page, MOBILE), 'Float for new orders', '28,705 KES').waitFor();
    await fact(card(page, MOBILE), 'Reserved for orders', '1,295 KES').waitFor();
    // The page follows what other clients change.
    await expectStatus(200, release(lp, id));
    await fact(card(page, MOBILE), 'Float for new orders', '30,000 KES').waitFor();
  });

  test('show why a float that covers no order is not quoted, and lead to its form', async () => {
    const lp = await newLp(corridor);
    await publishTerms({ ...lp, own: `/api/lp/${lp.key}` }, { currency: 'KES', min: 100, float: 99.99 });
    const page = await open(lp, 'Terms');
    const mobile = card(page, MOBILE);
    await mobile.getByText('Your float covers no order that you take.').waitFor();
    await mobile.getByText('not quoted', { exact: true }).waitFor();
    expect(await mobile.locator('button.primary').allTextContents()).toEqual(['Set the float…']);
    await mobile.getByRole('button', { name: 'Set the float' }).click();
    await page.getByRole('dialog').getByLabel('Float for new orders').fill('100');
    await page.keyboard.press('Enter');
    await mobile.getByText('quoted', { exact: true }).waitFor();
    await eventuallyEquals(() => mobile.locator('button.primary').count(), 0);
  });

  test('show why limits outside those of the corridor are not quoted, and lead to their form', async () => {
    const lp = await newLp(corridor);
    await publishTerms({ ...lp, own: `/api/lp/${lp.key}` }, { currency: 'KES', min: 250_000.01 });
    const page = await open(lp, 'Terms');
    const mobile = card(page, MOBILE);
    await mobile.getByText('your terms take none of these').waitFor();
    expect(await mobile.locator('button.primary').allTextContents()).toEqual(['Limits…']);
    await mobile.getByRole('button', { name: 'Limits' }).click();
    await page.getByRole('dialog').getByLabel('Smallest order').fill('250000');
    await page.keyboard.press('Enter');
    await mobile.getByText('quoted', { exact: true }).waitFor();
    await eventuallyEquals(() => mobile.locator('button.primary').count(), 0);
  });

  test('warn of a rate that has expired, until the LP renews it', async () => {
    const lp = await newLp(corridor);
    await corridor.db.query('test-expired', `update lp_term set valid_until = 'yesterday' where lp_id = $1`, [
      lp.id,
    ]);
    const page = await open(lp, 'Market');
    await page.getByText(`${MOBILE}: This rate has expired. Publish it again.`).waitFor();
    await page.getByRole('link', { name: MOBILE }).click();
    const mobile = card(page, MOBILE);
    await mobile.getByText('expired', { exact: true }).waitFor();
    await mobile.getByRole('button', { name: 'Renew the rate' }).click();
    const dialog = page.getByRole('dialog');
    // Enter publishes the rate again that the form shows.
    expect(await dialog.getByLabel('Units for one US dollar').inputValue()).toBe('129.5');
    await dialog.getByLabel('Units for one US dollar').press('Enter');
    await mobile.getByText('quoted', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Market' }).click();
    await eventuallyEquals(() => page.getByText('This rate has expired').count(), 0);
  });

  test('follow a price source only if the service has one, and the refusal says so', async () => {
    const page = await open(await newLp(corridor), 'Terms');
    await card(page, MOBILE).getByRole('button', { name: 'Renew the rate' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Rate', { exact: true }).selectOption('An offset from the price source');
    await dialog.getByLabel('Basis points above the price source').fill('50');
    await dialog.getByRole('button', { name: 'Publish the rate' }).click();
    await dialog.getByRole('alert').getByText('offset_bps needs a price of KES').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await fact(card(page, MOBILE), 'For one US dollar', /^129.5 KES$/).waitFor();
  });

  test('an order shows the LP the check of the recipient once it is the LP’s', async () => {
    const lp = await newLp(corridor);
    resolver.answer({ name: 'Jane Njeri Wanjiku' });
    const to = { currency: 'KES', recipient: '+254700123456' };
    const asked = { ...to, name: 'Jane Wanjiku' };
    const check = await expectStatus(201, agent.call('POST', '/api/v1/recipients/verify', asked));
    const id = await newOrder(agent, { ...to, recipient_check_id: check.recipient_check_id });
    const page = await open(lp, 'Market');
    await offer(page, id).getByText('Mobile money').waitFor();
    expect(await page.getByText('J•••').count()).toBe(0);
    await page.getByRole('button', { name: `Claim order ${id}`, exact: true }).click();
    const order = page.getByRole('article', { name: `Order ${id}`, exact: true });
    await order.getByText('the name matches partly · J••• N••• W•••').waitFor();
  });
});
