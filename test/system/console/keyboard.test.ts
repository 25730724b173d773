import { beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  claim,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  statusOf,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser, signIn, type Visitor } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { ADMIN_KEY } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { focusOf, tabTo, untilClosed } from '../../support/keyboard.ts';

/** Nobody uses a mouse: Tab, Enter, Space, Escape, and letters in fields. */
describeInBrowser('with the keyboard alone', () => {
  const console = useConsole();
  let agent: Agent;
  let lp: TestLp;
  beforeAll(async () => {
    agent = await newAgent(console.corridor);
    lp = await newLp(console.corridor);
  });

  async function enter(key: string): Promise<Visitor> {
    const visitor = await console.visit();
    await signIn(visitor, key);
    return visitor;
  }

  test('an LP claims an order and reports the fiat as sent', async () => {
    const { page } = await enter(lp.key);
    const id = await newOrder(agent);
    await page.getByRole('button', { name: `Claim order ${id}`, exact: true }).waitFor();
    await tabTo(page, `Claim order ${id}`);
    await page.keyboard.press('Enter');
    await page
      .getByRole('article', { name: `Order ${id}`, exact: true })
      .getByText('+254700123456')
      .waitFor();
    // The button has gone, and the focus is still on the page and not lost.
    await eventuallyEquals(async () => (await focusOf(page)).tag !== 'BODY', true);

    const step = `Fiat sent, order ${id}`;
    await page.getByRole('button', { name: step }).focus();
    await page.keyboard.press('Shift+Tab');
    await tabTo(page, step);
    await page.keyboard.press('Space');
    const dialog = page.getByRole('dialog', { name: step });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await untilClosed(page);
    expect(await focusOf(page)).toEqual({ tag: 'BUTTON', name: step, isVisible: true });
    expect(await statusOf(agent, id)).toBe('claimed');

    await page.keyboard.press('Enter');
    await dialog.waitFor();
    await tabTo(page, 'Fiat sent');
    await page.keyboard.press('Enter');
    await eventuallyEquals(() => statusOf(agent, id), 'fiat_sent');
    await untilClosed(page);
    // The step has removed its button: the focus is on the order.
    await eventuallyEquals(async () => (await focusOf(page)).name, `Order ${id}`);
    expect(await focusOf(page)).toEqual({ tag: 'ARTICLE', name: `Order ${id}`, isVisible: true });
  });

  test('an admin finds a disputed order and resolves it', async () => {
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, fiatSent(lp, id));
    await expectStatus(200, dispute(agent, id));
    const { page } = await enter(ADMIN_KEY);
    await page.getByRole('heading', { name: 'Health', level: 1 }).waitFor();
    // The page listens to keys a moment after it is painted.
    await eventuallyEquals(async () => {
      if ((await focusOf(page)).tag !== 'INPUT') await page.keyboard.press('/');
      return (await focusOf(page)).tag;
    }, 'INPUT');
    await page.keyboard.type(String(id));
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: `order ${id}`, exact: true }).waitFor();
    await tabTo(page, `order ${id}`);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Resolve the dispute' }).waitFor();
    await tabTo(page, 'Resolve the dispute');
    await page.keyboard.press('Enter');
    const resolve = page.getByRole('button', { name: 'Resolve as cancelled' });
    await resolve.waitFor();
    await tabTo(page, 'Resolve as cancelled');
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Resolve order ${id} as cancelled` });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await untilClosed(page);
    expect(await focusOf(page)).toEqual({ tag: 'BUTTON', name: 'Resolve as cancelled', isVisible: true });

    await page.keyboard.press('Space');
    await dialog.waitFor();
    // The dialog begins at the field that it requires.
    expect((await focusOf(page)).name).toBe('Reason');
    await page.keyboard.type('The fiat never left');
    await tabTo(page, 'Resolve as cancelled');
    await page.keyboard.press('Enter');
    await page.getByText('The order has ended.').waitFor();
    expect(await statusOf(agent, id)).toBe('cancelled');
    await eventuallyEquals(async () => (await focusOf(page)).tag !== 'BODY', true);
  });
});
