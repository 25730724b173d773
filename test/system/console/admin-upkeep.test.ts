import { beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  dispute,
  disputeByLp,
  expireNow,
  newAgent,
  newLp,
  newOrder,
  pay,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { rowOf, useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { fileOf, HEADS, upload } from '../../support/receipts.ts';

describeInBrowser('an admin who runs the service, in the console', () => {
  const console = useConsole({ env: { LP_AUTO_APPROVE: 'false' } });
  let corridor: TestCorridor;
  let agent: Agent;
  let lp: TestLp;
  beforeAll(async () => {
    corridor = console.corridor;
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 100 });
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/approve`));
  });

  test('approves LPs and sets their tier, decides withdrawals and creates users', async () => {
    const applicant = await newLp(corridor, { collateral: 50 });
    const body = { amount: 20, address: 'TMine' };
    const withdrawal = await expectStatus(
      201,
      applicant.call('POST', `/api/lp/${applicant.key}/collateral/withdraw`, body),
    );
    const { page } = await console.openAdminPage('LPs');
    const row = rowOf(page, applicant.id);
    await row.getByRole('button', { name: `Approve LP ${applicant.id}` }).click();
    await row.getByText('approved').waitFor();
    await row.getByRole('button', { name: `Set the tier of LP ${applicant.id}` }).click();
    const tier = page.getByRole('dialog', { name: `Set the tier of LP ${applicant.id}` });
    await tier.getByLabel('Tier').fill('99');
    await tier.getByRole('button', { name: 'Set the tier' }).click();
    await tier.getByRole('alert').getByText('Validation failed: tier').waitFor();
    await tier.getByLabel('Tier').fill('2');
    await tier.getByRole('button', { name: 'Set the tier' }).click();
    await page.getByRole('status').getByText(`LP ${applicant.id} is now in tier 2.`).waitFor();
    await row.getByRole('button', { name: `Suspend LP ${applicant.id}` }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('It does not answer');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await row.getByText('suspended').waitFor();

    await page.getByRole('link', { name: 'Withdrawals', exact: true }).click();
    await page.getByRole('button', { name: `Mark as paid: withdrawal ${withdrawal.id}` }).click();
    await page.getByLabel('Transaction').fill('0xFEED');
    await page.getByRole('button', { name: 'Mark as paid', exact: true }).click();
    await rowOf(page, withdrawal.id).getByText('0xFEED').waitFor();

    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByLabel('Name').fill('A payer');
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByRole('cell', { name: 'A payer' }).waitFor();
  });

  test('finds an order that an LP has frozen among the disputes, and rejects its evidence', async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, expireNow(lp, id));
    await expectStatus(201, upload(lp, id, fileOf(HEADS['image/png'], 500)));
    const reason = 'I paid before the deadline';
    await expectStatus(200, disputeByLp(lp, id, reason));
    const { page } = await console.openAdminPage('Disputes');
    await page.getByRole('link', { name: `Review the frozen order ${id}` }).click();
    await page.getByText(`LP ${lp.id}, which had lost it`).waitFor();
    await page.getByRole('button', { name: 'Reject evidence' }).click();
    const dialog = page.getByRole('dialog', { name: `Reject the evidence for order ${id}` });
    await dialog.getByLabel('Reason').fill('The recipient has nothing');
    await dialog.getByRole('button', { name: 'Reject evidence' }).click();
    await page.getByText(`Order ${id} continues, and the LP has got a strike.`).waitFor();
    const { rows } = await corridor.db.pool.query('select count(*)::int from lp_strike where lp_id = $1', [
      lp.id,
    ]);
    expect(rows).toEqual([{ count: 2 }]);
    await expectStatus(200, adminDoes(corridor.admin, 'cancel', id));
  });

  test('pauses payments of a currency, sees the pause, and ends it', async () => {
    const { page } = await console.openAdminPage('Health');
    await page.getByRole('button', { name: 'Pause payments and claims' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause payments and claims' });
    await dialog.getByLabel('Reason').fill('The network is down');
    await dialog.getByLabel('Currency').fill('K1');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.getByRole('alert').getByText('Validation failed: currency').waitFor();
    await dialog.getByLabel('Currency').fill('kes');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    const table = page.getByRole('table', { name: 'Paused' });
    await table.getByRole('cell', { name: 'The network is down' }).waitFor();
    expect(await pay(agent)).toMatchObject({
      status: 503,
      body: { error: expect.stringContaining('The network is down') },
    });
    await table.getByRole('button', { name: 'Resume KES' }).click();
    await page.getByRole('status').getByText('The pause of KES is over.').waitFor();
    await table.waitFor({ state: 'detached' });
    expect((await pay(agent)).status).toBe(201);
  });

  test('pauses payments while the overview cannot be read', async () => {
    const { page, visitor } = await console.openAdminPage('Users');
    await visitor.context.route('**/api/admin/overview', (route) =>
      route.fulfill({ status: 503, json: { error: 'The database does not answer' } }),
    );
    await page.getByRole('link', { name: 'Health', exact: true }).click();
    await page.getByRole('alert').getByText('The database does not answer').waitFor();
    await page.getByRole('button', { name: 'Pause payments and claims' }).click();
    const dialog = page.getByRole('dialog', { name: 'Pause payments and claims' });
    await dialog.getByLabel('Reason').fill('Nobody sees the orders');
    await dialog.getByLabel('Currency').fill('KES');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    const { pauses } = await expectStatus(200, corridor.admin('GET', '/api/admin/pauses'));
    expect(pauses).toMatchObject([{ currency: 'KES', reason: 'Nobody sees the orders' }]);
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/pauses/${pauses[0].id}`));
  });

  test('opens an incident, which all pages of its orders show, and closes it', async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    const { page } = await console.openAdminPage('Health');
    await page.getByRole('button', { name: 'Open an incident' }).click();
    const dialog = page.getByRole('dialog', { name: 'Open an incident' });
    await dialog.getByLabel('Reason').fill('The network is down');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    await dialog.getByText('name a currency or a chain, and not both').waitFor();
    await dialog.getByLabel('Currency').fill('kes');
    await dialog.getByLabel('Method').fill('mobile_money');
    await dialog.getByRole('button', { name: 'Open', exact: true }).click();
    const table = page.getByRole('table', { name: 'Out of order' });
    await table.getByRole('cell', { name: 'KES by mobile_money', exact: true }).waitFor();
    expect((await pay(agent)).status).toBe(503);

    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await rowOf(page, id).getByText('clock stopped').waitFor();
    await page.goto(`/console#/orders/${id}`);
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('Incident of KES by mobile_money').waitFor();
    await timeline.getByText('its clock stands still since').waitFor();
    for (const key of [lp.key, agent.key]) {
      const visitor = await console.visit();
      await signIn(visitor, key);
      await visitor.page.goto(`/console#/orders/${id}`);
      await visitor.page.getByText('clock stopped').first().waitFor();
      await visitor.page.getByText('its clock stands still since').waitFor();
      if (key !== lp.key) continue;
      await visitor.page.goto('/console#/market');
      await visitor.page
        .getByRole('list', { name: 'Out of order' })
        .getByText('The network is down')
        .waitFor();
    }

    // A closing that has failed in between.
    await corridor.db.query(
      't-closing',
      'update incident set closing_at = now() where closed_at is null',
      [],
    );
    await page.goto('/console#/health');
    await table.getByText(/^Closing since .*: close it again, or open it again\.$/).waitFor();
    await table.getByRole('button', { name: 'Close the incident of KES by mobile_money' }).click();
    const closing = page.getByRole('dialog', { name: 'Close the incident of KES by mobile_money' });
    await closing.getByRole('button', { name: 'Close it' }).click();
    await page.getByRole('status').getByText('The incident of KES by mobile_money is over').waitFor();
    await table.waitFor({ state: 'detached' });
    await page.goto(`/console#/orders/${id}`);
    await timeline.getByText('Deadline moved after an incident').waitFor();
  });

  test('sees the components, the orders by status, and charts with their numbers', async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, dispute(agent, id));
    const { page } = await console.openAdminPage('Health');
    await page.getByRole('table', { name: 'All components are available' }).waitFor();
    await page.getByRole('img', { name: /^Orders per minute: .* [1-9]\d* disputed$/ }).waitFor();
    const figure = page.getByRole('figure').filter({ hasText: 'Orders per minute' });
    await figure.getByText('Numbers').click();
    await figure.getByRole('columnheader', { name: 'disputed' }).waitFor();
    // The canvas is not blank.
    await eventuallyEquals(
      () =>
        page.evaluate<boolean>(`(() => {
          const canvas = document.querySelector('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          return data.some((value) => value > 0);
        })()`),
      true,
    );
    await page.getByLabel('Period').selectOption('24');
    await page.getByRole('img', { name: /^Orders per 8 minutes: / }).waitFor();
    expect(page.url()).toContain('hours=24');

    await corridor.stopWorker();
    try {
      await page.getByRole('table', { name: 'A component is unavailable' }).waitFor();
      await page.getByRole('row', { name: 'Worker down 0' }).waitFor();
    } finally {
      await corridor.startWorker();
    }
  });

  test('checks the ledger, and sees an inconsistency', async () => {
    const { page } = await console.openAdminPage('Ledger');
    const ledger = page.getByRole('region', { name: 'Ledger check' });
    await ledger.getByText('The ledger is consistent.').waitFor();
    await page
      .getByRole('region', { name: 'Drift check' })
      .getByRole('row', { name: /^ledger/ })
      .waitFor();
    const changeBalance = (by: number) =>
      corridor.db.pool.query('update lp_collateral set available = available + $2 where lp_id = $1', [
        lp.id,
        by,
      ]);
    await changeBalance(1);
    try {
      await eventually(async () => {
        await ledger.getByRole('button', { name: 'Check again' }).click();
        return (await ledger.getByText('The ledger is inconsistent.').count()) > 0;
      });
      await ledger
        .getByRole('table', { name: 'Findings' })
        .getByText(`lp:${lp.id}:available`)
        .first()
        .waitFor();
    } finally {
      await changeBalance(-1);
    }
  });

  test('opens and closes a dialog by keyboard alone, and the focus returns to its opener', async () => {
    const { page } = await console.openAdminPage('Keys');
    const opener = page.getByRole('button', { name: 'Create a key' });
    await opener.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Create an agent key' });
    await dialog.waitFor();
    // The focus is on the first field, not on the close button.
    expect(await page.evaluate('document.activeElement.name')).toBe('name');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Create a key');
  });

  test('sees the last data while the service is unreachable, and continues when it is back', async () => {
    const id = await newOrder(agent);
    const { page, visitor } = await console.openAdminPage('Orders');
    await rowOf(page, id).waitFor();
    const refreshFailed = page.waitForEvent('requestfailed', (request) =>
      request.url().includes('/admin/orders'),
    );
    await visitor.context.setOffline(true);
    await page.getByText('This page may be out of date.').waitFor();
    expect(await rowOf(page, id).count()).toBe(1);
    // The page shows the message once, although its own refresh failed too.
    await refreshFailed;
    await page.evaluate('new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))');
    expect(await page.getByText('Corridor cannot be reached').count()).toBe(1);
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('alert').getByText('Corridor cannot be reached').last().waitFor();
    // The message may still be that of the previous page. Only a page that could not load has this button.
    const tryAgain = page.getByRole('button', { name: 'Try again' });
    await tryAgain.waitFor();
    await visitor.context.setOffline(false);
    await tryAgain.click();
    await page.getByRole('table', { name: 'Users, newest first' }).waitFor();
  });
});
