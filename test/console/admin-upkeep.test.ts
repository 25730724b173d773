import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { expectStatus } from '../../demo/http.ts';
import { type Agent, claim, dispute, newAgent, newLp, newOrder, type TestLp } from '../support/actors.ts';
import { openSection, rowOf } from '../support/admin-console.ts';
import { describeInBrowser, startBrowser, type Visitor, visit } from '../support/browser.ts';
import { startCorridor, type TestCorridor } from '../support/corridor.ts';
import { eventually, eventuallyEquals } from '../support/eventually.ts';

/** How admins keep the house, in a browser on a Corridor that runs: who may provide, what is owed, whether all is well. */
describeInBrowser('the console of admins', () => {
  let corridor: TestCorridor;
  let browser: Browser;
  let agent: Agent;
  let lp: TestLp;
  let visitor: Visitor;
  beforeAll(async () => {
    corridor = await startCorridor({ env: { LP_AUTO_APPROVE: 'false' } });
    browser = await startBrowser();
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 100 });
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`));
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

  test('LPs are approved and put into tiers, withdrawals decided, users made', async () => {
    const applicant = await newLp(corridor, { collateral: 50 });
    const body = { amount: 20, address: 'TMine' };
    const asked = await expectStatus(
      201,
      applicant.call('POST', `/api/lp/${applicant.key}/collateral/withdraw`, body),
    );
    const page = await openConsole('LPs');
    const row = rowOf(page, applicant.id);
    await row.getByRole('button', { name: `Approve LP ${applicant.id}` }).click();
    await row.getByText('approved').waitFor();
    await row.getByRole('button', { name: `Set the tier of LP ${applicant.id}` }).click();
    const tier = page.getByRole('dialog', { name: `The tier of LP ${applicant.id}` });
    await tier.getByLabel('Tier').fill('99');
    await tier.getByRole('button', { name: 'Set the tier' }).click();
    await tier.getByRole('alert').getByText('Validation failed: tier').waitFor();
    await tier.getByLabel('Tier').fill('2');
    await tier.getByRole('button', { name: 'Set the tier' }).click();
    await page.getByRole('status').getByText(`LP ${applicant.id} has tier 2.`).waitFor();
    await row.getByRole('button', { name: `Suspend LP ${applicant.id}` }).click();
    await row.getByText('suspended').waitFor();

    await page.getByRole('link', { name: 'Withdrawals', exact: true }).click();
    await page.getByRole('button', { name: `Note withdrawal ${asked.id} as paid` }).click();
    await page.getByLabel('Transaction').fill('0xFEED');
    await page.getByRole('button', { name: 'It has been paid' }).click();
    await rowOf(page, asked.id).getByText('0xFEED').waitFor();

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByLabel('Name').fill('A payer');
    await page.getByRole('button', { name: 'Create the user' }).click();
    await page.getByRole('cell', { name: 'A payer' }).waitFor();
  });

  test('health shows what is there, where orders stand, and charts with their numbers', async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, dispute(agent, id));
    const page = await openConsole('Health');
    await page.getByRole('table', { name: 'Everything that an order needs is there' }).waitFor();
    await page.getByRole('img', { name: /^Orders in each minute: .* [1-9]\d* disputed$/ }).waitFor();
    const figure = page.getByRole('figure').filter({ hasText: 'Orders in each minute' });
    await figure.getByText('Numbers').click();
    await figure.getByRole('columnheader', { name: 'disputed' }).waitFor();
    // Something has been drawn.
    await eventuallyEquals(
      () =>
        page.evaluate<boolean>(`(() => {
          const canvas = document.querySelector('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.some((value) => value > 0);
        })()`),
      true,
    );
    await page.getByLabel('Time').selectOption('24');
    await page.getByRole('img', { name: /^Orders in each stretch of 8 minutes: / }).waitFor();
    expect(page.url()).toContain('hours=24');

    await corridor.stopWorker();
    try {
      await page.getByRole('table', { name: 'Something that an order needs is away' }).waitFor();
      await page.getByRole('row', { name: 'Worker away 0' }).waitFor();
    } finally {
      await corridor.startWorker();
    }
  });

  test('the ledger is proved, and a drift of it shown', async () => {
    const page = await openConsole('Ledger');
    const books = page.getByRole('region', { name: 'The books' });
    await books.getByText('The ledger is sound.').waitFor();
    await page
      .getByRole('region', { name: 'Orders and workflows' })
      .getByRole('row', { name: /^ledger/ })
      .waitFor();
    const change = (by: number) =>
      corridor.db.pool.query('update lp_collateral set available = available + $2 where lp_id = $1', [
        lp.id,
        by,
      ]);
    await change(1);
    try {
      await eventually(async () => {
        await books.getByRole('button', { name: 'Check again' }).click();
        return (await books.getByText('The ledger does not agree.').count()) > 0;
      });
      await books
        .getByRole('table', { name: 'What was found' })
        .getByText(`lp:${lp.id}:available`)
        .first()
        .waitFor();
    } finally {
      await change(-1);
    }
  });

  test('by keyboard alone a dialog is opened, left and come back from', async () => {
    const page = await openConsole('Keys');
    const opener = page.getByRole('button', { name: 'Create a key' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create an agent key' });
    await dialog.waitFor();
    // At what is to be filled in, not at the button that closes it.
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Create a key');
  });

  test('without the service it says so, keeps what it had, and goes on when that is back', async () => {
    const id = await newOrder(agent);
    const page = await openConsole('Orders');
    await rowOf(page, id).waitFor();
    const looked = page.waitForEvent('requestfailed', (request) => request.url().includes('/admin/orders'));
    await visitor.context.setOffline(true);
    await page.getByText('What is shown may be old.').waitFor();
    expect(await rowOf(page, id).count()).toBe(1);
    // Once for the whole page, where all that is on it was read before.
    await looked;
    await page.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))');
    expect(await page.getByText('Corridor cannot be reached').count()).toBe(1);
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('alert').getByText('Corridor cannot be reached').last().waitFor();
    await visitor.context.setOffline(false);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Users, newest first' }).waitFor();
  });
});
