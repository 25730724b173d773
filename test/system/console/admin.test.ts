import { beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  adminDoes,
  claim,
  collateralOf,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { holdRequests, rowOf, useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventually } from '../../support/eventually.ts';

const ANSWER = '<b>not</b> markup';

describeInBrowser('an admin who handles orders and keys, in the console', () => {
  const UI = 'https://temporal.example';
  /** The status codes that the receiver returns for each order, in sequence, and then 200. */
  const responses = new Map<number, number[]>();
  const console = useConsole({
    env: { TEMPORAL_UI_URL: UI },
    answerWebhook: (received) => responses.get(received.at(-1)?.body.order_id ?? 0)?.shift() ?? 200,
    answerBody: () => ANSWER,
  });
  let corridor: TestCorridor;
  let agent: Agent;
  let lp: TestLp;
  beforeAll(async () => {
    corridor = console.corridor;
    agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 100 });
  });

  const newDispute = async (): Promise<number> => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, fiatSent(lp, id));
    await expectStatus(200, dispute(agent, id));
    return id;
  };

  test('sees a dry run of both outcomes of a dispute, and resolves it', async () => {
    const id = await newDispute();
    const { page } = await console.openAdminPage('Disputes');
    await rowOf(page, id).getByText('Nothing has arrived').waitFor();
    await rowOf(page, id)
      .getByRole('link', { name: `Review the dispute of order ${id}` })
      .click();
    const outcomeSheet = (outcome: string) =>
      page.getByRole('article').filter({ has: page.getByRole('heading', { name: `Outcome: ${outcome}` }) });
    await outcomeSheet('completed')
      .getByRole('row', { name: `fee LP ${lp.id}, available platform, fees US$0.05` })
      .waitFor();
    await outcomeSheet('cancelled')
      .getByRole('row', { name: /^release .* US\$10\.00$/ })
      .waitFor();

    // The service refuses more than the locked collateral covers, and the page offers no button.
    await page.getByLabel('Slash, USD').fill('10.01');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await outcomeSheet('cancelled')
      .getByRole('alert')
      .getByText('The locked collateral does not cover that slash and the fee')
      .waitFor();
    expect(await page.getByRole('button', { name: /^Resolve as/ }).count()).toBe(0);

    await page.getByLabel('Slash, USD').fill('3.5');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await outcomeSheet('cancelled')
      .getByRole('row', { name: /^slash .* platform, slashed US\$3\.50$/ })
      .waitFor();
    expect(await statusOf(agent, id)).toBe('disputed');

    // Until the next dry run has answered, nobody can confirm the last one with the new values.
    const answer = await holdRequests([page], '**/resolve?dry_run=true');
    const resolveButtons = page.getByRole('button', { name: /^Resolve as/ });
    await page.getByLabel('Slash, USD').fill('4');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('There is no dry run with these values yet.').waitFor();
    expect(await resolveButtons.count()).toBe(0);
    answer();
    await outcomeSheet('cancelled')
      .getByRole('row', { name: /^slash .* platform, slashed US\$4\.00$/ })
      .waitFor();
    await page.getByLabel('Slash, USD').fill('3.5');
    await page.getByRole('button', { name: 'Dry run' }).click();
    await outcomeSheet('cancelled')
      .getByRole('row', { name: /^slash .* platform, slashed US\$3\.50$/ })
      .waitFor();

    await page.getByRole('button', { name: 'Resolve as cancelled' }).click();
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as cancelled` });
    await dialog.getByText('The LP loses US$3.50 of its collateral.').waitFor();
    await dialog.getByLabel('Reason').fill('The fiat never left');
    await dialog.getByRole('button', { name: 'Resolve as cancelled' }).click();
    await page.getByRole('status').getByText(`Order ${id} is cancelled.`).waitFor();

    // The console has opened the order's page, whose timeline ends with the reason.
    await page.getByRole('list', { name: 'Timeline' }).getByText('The fiat never left').waitFor();
    await page.getByText('The order has ended.').waitFor();
    expect(await statusOf(agent, id)).toBe('cancelled');
    expect(await collateralOf(corridor, lp)).toEqual({ available: 96.5, locked: 0 });
  });

  test('sees the service’s refusal if another admin has resolved the dispute already', async () => {
    const id = await newDispute();
    const { page } = await console.openAdminPage('Disputes');
    await rowOf(page, id)
      .getByRole('link', { name: `Review the dispute of order ${id}` })
      .click();
    await page.getByRole('button', { name: 'Resolve as completed' }).click();
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as completed` });
    await dialog.getByLabel('Reason').fill('It has arrived');
    // The page does not refresh before the admin clicks.
    const release = await holdRequests([page], `**/api/admin/orders/${id}`);
    const body = { outcome: 'cancelled', slash_usd: 0, reason: 'It has not' };
    await expectStatus(200, adminDoes(corridor.admin, 'resolve', id, body));
    await dialog.getByRole('button', { name: 'Resolve as completed' }).click();
    await dialog.getByRole('alert').waitFor();
    release();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('This order is not disputed: it is cancelled.').waitFor();
    await page.getByRole('alert').getByText(`Order ${id}: `).waitFor();
  });

  test('names a transaction as the payment, and reads what the chain says about it before the order is completed', async () => {
    const id = await newDispute();
    const { page } = await console.openAdminPage('Disputes');
    await page.goto(`/console#/disputes/${id}`);
    const completed = page
      .getByRole('article')
      .filter({ has: page.getByRole('heading', { name: 'Outcome: completed' }) });
    const name = async (hash: string) => {
      await page.getByRole('textbox', { name: 'Transaction' }).fill(hash);
      await page.getByRole('button', { name: 'Dry run' }).click();
    };
    await completed.getByText('No transaction counts as the payment.').waitFor();
    await name(`sandbox-missing-${id}`);
    await completed.getByText('The chain does not confirm it').waitFor();
    await completed.getByText('Tron does not know this transaction').waitFor();
    await name('no hash!');
    await completed.getByRole('alert').getByText('tx_hash').waitFor();
    const paid = `sandbox-paid-${id}`;
    await name(paid);
    await completed.getByText('The chain confirms it').waitFor();
    await page.getByRole('button', { name: 'Resolve as completed' }).click();
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as completed` });
    await dialog.getByText('to the order’s address, as asked for').waitFor();
    await dialog.getByLabel('Reason').fill('It has arrived');
    await dialog.getByRole('button', { name: 'Resolve as completed' }).click();
    await page.getByRole('status').getByText(`Order ${id} is completed.`).waitFor();
    const counted = 'select tx_hash from chain_transaction where order_id = $1';
    expect(await corridor.db.query('t-counted', counted, [id])).toEqual([{ tx_hash: paid }]);
  });

  test('reads that a freeze has changed nothing, if another admin was faster', async () => {
    const id = await newOrder(agent);
    const { page } = await console.openAdminPage('Orders');
    await page.goto(`/console#/orders/${id}`);
    await page.getByRole('button', { name: 'Freeze' }).click();
    const dialog = page.getByRole('dialog', { name: `Freeze order ${id}` });
    await dialog.getByLabel('Reason').fill('I look into it');
    const reason = 'The recipient complains';
    await expectStatus(200, adminDoes(corridor.admin, 'freeze', id, { reason }));
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await page
      .getByRole('alert')
      .getByText(`The order was frozen before, and keeps its reason: ${reason}`)
      .waitFor();
  });

  test('creates, rotates and deactivates a key, and sees each secret once', async () => {
    const { page } = await console.openAdminPage('Keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    const creation = page.getByRole('dialog', { name: 'Create an agent key' });
    await creation.getByLabel('Name').fill('the shop');
    await creation.getByLabel('Allowed addresses').fill('127.0.0.1, ::1');
    await creation.getByLabel('Valid until').fill('2098-01-01');
    await creation.getByLabel(/^cancel: /).uncheck();
    await creation.getByRole('button', { name: 'Create the key' }).click();

    const readSecret = async (): Promise<string> => {
      const dialog = page.getByRole('dialog', { name: /^The secret of key/ });
      const secret = await dialog.locator('code').first().innerText();
      await dialog.getByText('not shown again').waitFor();
      await dialog.getByRole('button', { name: 'I have stored it' }).click();
      await dialog.waitFor({ state: 'detached' });
      return secret;
    };
    const first = await readSecret();
    const row = page.getByRole('row').filter({ hasText: 'the shop' });
    await row.getByText('never').waitFor();
    expect(await page.content()).not.toContain(first);
    const listOrders = (secret: string) => corridor.as(secret)('GET', '/api/v1/orders');
    expect((await listOrders(first)).status).toBe(200);
    const refused = await corridor.as(first)('POST', '/api/v1/cancel/1', {});
    expect([refused.status, refused.body.error]).toEqual([
      403,
      expect.stringContaining('lacks the scope cancel'),
    ]);
    await row.getByText('2098-01-01').waitFor();
    await row.getByText('only from 127.0.0.1/32, ::1/128').waitFor();

    await row.getByRole('button', { name: /^Rotate key/ }).click();
    const rotation = page.getByRole('dialog', { name: /^Rotate key/ });
    await rotation
      .getByLabel('The old secret stays valid for')
      .selectOption('no time, because it has leaked');
    await rotation.getByRole('button', { name: 'Rotate the key' }).click();
    const second = await readSecret();
    expect(second).not.toBe(first);
    expect([(await listOrders(second)).status, (await listOrders(first)).status]).toEqual([200, 403]);

    await row.getByRole('button', { name: /^Change key/ }).click();
    const change = page.getByRole('dialog', { name: /^Change key/ });
    await change.getByLabel('Requests per minute').fill('600');
    await change.getByLabel(/^cancel: /).check();
    await change.getByLabel('Allowed addresses').fill('');
    await change.getByRole('button', { name: 'Save' }).click();
    await row.getByText('600').waitFor();
    const [limits] = (await corridor.admin('GET', '/api/admin/agent-keys')).body;
    expect(limits).toMatchObject({ scopes: null, allowed_ips: null, expires_at: '2098-01-01T00:00:00.000Z' });

    await corridor.db.query('t-end', `update agent_key set expires_at = now() where id = $1`, [limits.id]);
    await page.reload();
    await row.getByText('expired').waitFor();

    await row.getByRole('button', { name: /^Deactivate key/ }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('It has left');
    await page.getByRole('button', { name: 'Deactivate permanently' }).click();
    await row.getByText('inactive').waitFor();
    expect((await listOrders(second)).status).toBe(403);
  });

  test('finds an exhausted webhook and sends it again', async () => {
    const id = await newOrder(agent, { callback_url: corridor.receiver.url });
    responses.set(id, [500, 500, 500]);
    await expectStatus(200, claim(lp, id));
    const { page } = await console.openAdminPage('Webhooks');
    const listExhausted = () => corridor.admin('GET', '/api/admin/webhook-deliveries?state=exhausted');
    const [delivery] = await eventually(async () => {
      const { deliveries } = (await listExhausted()).body;
      return deliveries.length > 0 && deliveries;
    });
    await page.getByLabel('State').selectOption('exhausted');
    await page.getByRole('button', { name: 'Apply' }).click();
    const row = rowOf(page, delivery.id);
    await row.getByText('3, the last: 500').click();
    await row.getByRole('listitem').nth(2).getByText('500 after').waitFor();
    await row.getByText('Show').click();
    expect(JSON.parse(await row.locator('pre.sent').innerText())).toMatchObject({ order_id: id });
    // The receiver's answer is text, not markup.
    expect(await row.locator('.attempts pre').first().innerText()).toBe(ANSWER);
    await row.getByRole('button', { name: `Send again: msg_${delivery.id}` }).click();
    await page.getByRole('status').getByText(`msg_${delivery.id} is sent again.`).waitFor();

    await page.getByLabel('State').selectOption('delivered');
    await page.getByRole('button', { name: 'Apply' }).click();
    await row.getByText('4, the last: 200').waitFor();
    expect(corridor.receiver.received.filter(({ body }) => body.order_id === id)).toHaveLength(4);
    // As after its order was masked.
    await corridor.db.query('t-mask', `update webhook_delivery set body = null where id = $1`, [delivery.id]);
    await row.getByRole('button', { name: /^Send again/ }).waitFor({ state: 'detached' });
    await page.goBack();
    await page.getByText('No webhooks match.').waitFor();
  });

  test('filters orders, follows the link to a workflow, and freezes and unfreezes an order', async () => {
    const id = await newOrder(agent);
    const { page } = await console.openAdminPage('Orders');
    await page.getByLabel('Status').selectOption('matched');
    await page.getByLabel('Agent key').fill(String(agent.keyId));
    await page.getByRole('button', { name: 'Apply' }).click();
    await rowOf(page, id)
      .getByRole('link', { name: `#${id}` })
      .click();
    const link = page.getByRole('link', { name: 'Workflow in the Temporal UI' });
    const namespace = corridor.config.temporalNamespace;
    expect(await link.getAttribute('href')).toBe(`${UI}/namespaces/${namespace}/workflows/order-${id}`);
    await page.getByText('Mobile money · +2•••••••••56').waitFor();

    await page.getByRole('button', { name: 'Freeze' }).click();
    const dialog = page.getByRole('dialog', { name: `Freeze order ${id}` });
    await dialog.getByLabel('Reason').fill('To be looked at');
    await dialog.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('list', { name: 'Timeline' }).getByText('To be looked at').waitFor();
    await page.getByText('To freeze it again would change nothing').waitFor();
    const offered = page.locator('main').getByRole('button', { name: /^(Freeze|Extend|Cancel)$/ });
    expect(await offered.count()).toBe(0);
    await page.getByRole('button', { name: 'Unfreeze' }).click();
    await page.getByLabel('Reason').fill('Nothing was wrong');
    await page.getByRole('dialog').getByRole('button', { name: 'Unfreeze' }).click();

    // The service refuses an earlier deadline, and the form keeps its values.
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
    await page.getByRole('alert').getByText('There is no order 999999').waitFor();
  });
});
