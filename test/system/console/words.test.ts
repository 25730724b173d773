import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { SIGNAL_TRIGGERS } from '../../../src/domain/order-commands.ts';
import { ORDER_STATUSES } from '../../../src/domain/order-state.ts';
import { type Agent, completedOrder, newAgent, newLp, type TestLp } from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { ADMIN_KEY } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';

/** The names that only programs read: those of several words. */
const NAMES = [...ORDER_STATUSES, ...SIGNAL_TRIGGERS, 'autoClaim'].filter((name) => /[A-Z_]/.test(name));

describeInBrowser('the page of an order', () => {
  const console = useConsole({ env: { EXPLORER_URLS: 'trx=https://explorer.example/#/tx/{tx}' } });
  let agent: Agent;
  let lp: TestLp;
  let id: number;
  let hash: string;
  beforeAll(async () => {
    agent = await newAgent(console.corridor);
    lp = await newLp(console.corridor);
    id = await completedOrder(console.corridor, agent, lp);
    const order = await expectStatus(200, console.corridor.admin('GET', `/api/admin/orders/${id}`));
    hash = order.user_crypto_tx_hash;
  });

  async function open(key: string): Promise<Page> {
    const visitor = await console.visit();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(visitor, key);
    await visitor.page.goto(`/console#/orders/${id}`);
    await visitor.page.getByText('Payment verified on the chain').waitFor();
    return visitor.page;
  }

  test.each(['LP', 'admin'])('has words for an %s, not names of the API', async (role) => {
    const page = await open(role === 'LP' ? lp.key : ADMIN_KEY);
    await page.getByText('USDT on Tron').first().waitFor();
    const text = await page.locator('main').innerText();
    expect(NAMES.filter((name) => text.includes(name))).toEqual([]);
    await page.locator('header').getByText('Sandbox', { exact: true }).waitFor();
  });

  test('has times with seconds and their zone, and the time of the API behind them', async () => {
    const page = await open(ADMIN_KEY);
    const times = page.getByRole('list', { name: 'Timeline' }).locator('time');
    for (const time of await times.all()) {
      expect(await time.innerText()).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
      expect(await time.getAttribute('title')).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    }
    await eventuallyEquals(() => times.count(), 6);
  });

  test('copies the transaction, and leads to the block explorer of its chain alone', async () => {
    const page = await open(lp.key);
    const link = page.getByRole('link', { name: hash });
    expect(await link.getAttribute('href')).toBe(`https://explorer.example/#/tx/${hash}`);
    // The operator has named no page for addresses.
    expect(await page.getByRole('link', { name: lp.address }).count()).toBe(0);
    await page.getByRole('button', { name: 'Copy the Tron transaction' }).click();
    await page.getByRole('status').getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(hash);
  });
});
