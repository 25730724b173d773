import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  type Agent,
  claim,
  expireNow,
  newAgent,
  newLp,
  newOrder,
  release,
  rowOf,
  type TestLp,
} from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { HEADS } from '../../support/receipts.ts';

/** What an LP sees of an order that it has claimed and lost. */
describeInBrowser('an order that an LP has lost, in the console', () => {
  const console = useConsole();
  let agent: Agent;
  beforeAll(async () => {
    agent = await newAgent(console.corridor);
    await newLp(console.corridor);
  });

  async function claimed(): Promise<{ lp: TestLp; id: number }> {
    const lp = await newLp(console.corridor);
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    return { lp, id };
  }
  async function open(lp: TestLp, id: number, phone = false): Promise<Page> {
    const visitor = await console.visit({ phone });
    await signIn(visitor, lp.key);
    const { page } = visitor;
    await page.getByRole('link', { name: 'Your orders', exact: true }).click();
    await page.getByRole('link', { name: `Order ${id}`, exact: true }).click();
    await page.getByText('Payment requested').waitFor();
    return page;
  }

  test.each([false, true])(
    'by its deadline, can be stopped with evidence (on a phone: %p)',
    async (phone) => {
      const { lp, id } = await claimed();
      await expectStatus(200, expireNow(lp, id));
      const page = await open(lp, id, phone);
      const loss = page.getByRole('region', { name: `Loss of order ${id}` });
      await loss.getByText('You missed the deadline for the fiat').waitFor();
      const dispute = async () => {
        await loss.getByRole('button', { name: `Dispute the loss, order ${id}` }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('If you had not paid, it adds a strike.').waitFor();
        await dialog.getByLabel('Reason').fill('M-PESA took it at 12:01');
        await dialog.getByRole('button', { name: 'Dispute the loss', exact: true }).click();
      };
      await dispute();
      await page.getByText('upload the receipt first').waitFor();
      await loss
        .getByLabel(`Receipt for order ${id}`)
        .setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer: HEADS['image/png'] });
      await page.getByText(`The receipt for order ${id} is uploaded.`).waitFor();
      await dispute();
      await page.getByText(`Order ${id} has stopped until an admin decides.`).waitFor();
      await loss.waitFor({ state: 'detached' });
      expect(await rowOf(console.corridor.admin, id)).toMatchObject({
        frozen: true,
        status_reason: expect.stringContaining('M-PESA took it at 12:01 (evidence: '),
      });
    },
  );

  test('by a release, cannot be stopped', async () => {
    const { lp, id } = await claimed();
    await expectStatus(200, release(lp, id));
    const page = await open(lp, id);
    await page.getByText('No longer yours').waitFor();
    expect(await page.getByRole('region', { name: `Loss of order ${id}` }).count()).toBe(0);
  });
});
