import { beforeAll, expect, test } from '@jest/globals';
import { type Agent, newAgent, newLp, newOrder } from '../support/actors.ts';
import { describeInBrowser } from '../support/browser.ts';
import { useConsole } from '../support/console.ts';

describeInBrowser('an admin who searches in the console', () => {
  const console = useConsole();
  let agent: Agent;
  let orderId: number;
  beforeAll(async () => {
    agent = await newAgent(console.corridor);
    await newLp(console.corridor);
    orderId = await newOrder(agent);
  });

  test('finds an order from any page with the keyboard alone, and its key by its name', async () => {
    const { page } = await console.openAdminPage('Health');
    await page.keyboard.press('/');
    await page.keyboard.type(String(orderId));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Search' }).waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe(String(orderId));
    const found = page.getByRole('link', { name: `order ${orderId}`, exact: true });
    await found.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `Order #${orderId}` }).waitFor();
    await page.getByRole('link', { name: `test (${agent.keyId})` }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.getByRole('cell', { name: 'test' }).first().waitFor();
  });

  test('reads that nothing was found, and types a slash into a field', async () => {
    const { page } = await console.openAdminPage('Users');
    await page.getByLabel('Search').fill('nobody');
    await page.keyboard.type('/');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has this id, hash or name.').waitFor();
    expect(await page.getByLabel('Search').inputValue()).toBe('nobody/');
  });
});
