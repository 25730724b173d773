import { beforeAll, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, cancel, claim, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { rowOf, useConsole } from '../../support/console.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { expectNoPendingWebhooks } from '../../support/soundness.ts';

const RECIPIENT = '+254722111000';
const ANSWER = '<img src=x onerror="alert(1)"> not paid';

describeInBrowser('an agent, in the console', () => {
  /** Orders whose webhooks the receiver refuses. */
  const refused = new Set<number>();
  const console = useConsole({
    answerWebhook: (received) => (refused.has(received.at(-1)?.body.order_id ?? 0) ? 503 : 200),
    answerBody: () => ANSWER,
  });
  let agent: Agent;
  let claimed: number;
  let failed: number;
  beforeAll(async () => {
    const { corridor } = console;
    agent = await newAgent(corridor);
    const lp = await newLp(corridor);
    const webhooks = { callback_url: corridor.receiver.url, recipient: RECIPIENT };
    claimed = await newOrder(agent, webhooks);
    await expectStatus(200, claim(lp, claimed));
    failed = await newOrder(agent, webhooks);
    refused.add(failed);
    await expectStatus(200, cancel(agent, failed));
    await expectNoPendingWebhooks(corridor.db);
  });

  const open = async (key = agent.key) => {
    const visitor = await console.visit();
    await signIn(visitor, key);
    return visitor.page;
  };
  const openSection = async (page: Page, name: string) => {
    const navigation = page.getByRole('navigation', { name: 'Console' });
    await navigation.getByRole('link', { name, exact: true }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
  };
  const textOf = (place: Locator) => place.innerText();
  const newKey = async (body: object) =>
    expectStatus(201, console.corridor.admin('POST', '/api/admin/agent-keys', body));

  test('finds its order, with its timeline, what it waits for, and its webhook', async () => {
    const page = await open();
    await page.getByRole('button', { name: 'Your session: test' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Console' }).getByRole('link').allInnerTexts()).toEqual(
      ['Orders', 'Webhooks', 'Key'],
    );
    await page.getByLabel('Status').selectOption('claimed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await rowOf(page, failed).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: `#${claimed}`, exact: true }).click();
    await page.getByRole('heading', { name: `Order #${claimed}` }).waitFor();
    const timeline = page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText('waits for the LP').waitFor();
    await eventuallyEquals(() => timeline.getByRole('listitem').count(), 3);
    await page.getByLabel('The order').getByText('1,295 KES').waitFor();
    await page.getByRole('table', { name: 'Webhooks, oldest first' }).getByText('delivered').waitFor();
    expect(await page.content()).not.toContain(RECIPIENT);
  });

  test('sees why a webhook has failed, with the body and the receiver’s answers as text, and sends it again', async () => {
    const page = await open();
    await openSection(page, 'Webhooks');
    await page.getByLabel('State').selectOption('exhausted');
    await page.getByRole('button', { name: 'Apply' }).click();
    const row = page.locator('tbody tr');
    await eventuallyEquals(() => row.count(), 1);
    await row.getByText('Show').click();
    expect(JSON.parse(await textOf(row.locator('pre.sent')))).toMatchObject({
      order_id: failed,
      status: 'cancelled',
    });
    await row.getByText('3, the last: 503').click();
    const answers = row.locator('.attempts pre');
    expect(await answers.allInnerTexts()).toEqual(Array(3).fill(ANSWER));
    expect(await page.locator('main img').count()).toBe(0);
    refused.delete(failed);
    await row.getByRole('button', { name: /^Send again: msg_\d+$/ }).click();
    await page.getByText(/^msg_\d+ is sent again\.$/).waitFor();
    const state = async () => {
      const path = `/api/v1/webhook-deliveries?order_id=${failed}`;
      return (await expectStatus(200, agent.call('GET', path))).deliveries[0].state;
    };
    await eventuallyEquals(state, 'delivered');
    await page.getByRole('link', { name: 'Show all your webhooks' }).click();
    await page.getByText('4, the last: 200').waitFor();
  });

  test('sees what its key may do, and how much of its limits is left', async () => {
    const limits = {
      name: 'my shop',
      scopes: ['pay', 'read'],
      max_exposure_usd: 30,
      allowed_ips: ['127.0.0.1'],
    };
    const page = await open((await newKey(limits)).api_key);
    await openSection(page, 'Key');
    const facts = page.getByLabel('Your key', { exact: true });
    for (const text of ['my shop', 'read its orders', '127.0.0.1', 'never'])
      await facts.getByText(text).first().waitFor();
    const exposure = page.getByRole('region', { name: 'Unsettled USD' });
    await exposure.getByText('US$0.00').waitFor();
    await eventuallyEquals(() => exposure.getByText('US$30.00').count(), 2);
  });

  test('without a scope learns which one is missing, and what to do', async () => {
    const { id, api_key } = await newKey({ scopes: ['pay'] });
    const page = await open(api_key);
    await page.getByText('This API key lacks the scope read: it has pay.').waitFor();
    await page.getByText('Ask an admin of this installation to add the scope to your key.').waitFor();
    await openSection(page, 'Webhooks');
    await page.getByText('a key may not list webhooks and send them again').waitFor();
    const scopes = { scopes: ['pay', 'webhooks'] };
    await expectStatus(200, console.corridor.admin('POST', `/api/admin/agent-keys/${id}`, scopes));
    await page.getByText('Corridor has sent you no webhooks yet.').waitFor();
  });

  test('with a new key sees what to do first, and is signed out when the key is deactivated', async () => {
    const { id, api_key } = await newKey({});
    const page = await open(api_key);
    await page.getByRole('button', { name: `Your session: Key ${id}` }).waitFor();
    await page.getByText('Your key has no orders yet.').waitFor();
    await page.goto(`/console#/orders/${claimed}`);
    await page.getByRole('alert').getByText('Not found').waitFor();
    await expectStatus(200, console.corridor.admin('DELETE', `/api/admin/agent-keys/${id}`));
    await page.getByLabel('Key').waitFor();
  });
});
