import { beforeAll, expect, test } from '@jest/globals';
import { type Agent, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';

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

  test('saves an export of the ledger', async () => {
    const { page } = await console.openAdminPage('Ledger');
    await page.getByLabel('File').selectOption('ledger.csv');
    await page.getByLabel('From (UTC)').fill('2026-01-01');
    await page.getByLabel('Until before (UTC)').fill('2025-01-01');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('must be after from').first().waitFor();
    await page.getByLabel('Until before (UTC)').fill('2026-02-01');
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('ledger-2026-01-01-2026-02-01.csv');
    // The ledger of all LPs must not pass for that of one.
    await page.getByLabel('LP', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('Ledger (CSV) is about all LPs').waitFor();
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
