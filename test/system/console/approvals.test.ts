import { beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { type Call, expectStatus } from '../../../dev/http-client.ts';
import { claim, dispute, newAgent, newLp, newOrder, statusOf } from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { rowOf, useConsole } from '../../support/console.ts';
import { focusOf, untilClosed } from '../../support/keyboard.ts';

interface Person {
  name: string;
  key: string;
  call: Call;
}

describeInBrowser('the proposals of admins, in the console', () => {
  const console = useConsole({ env: { APPROVALS: 'on' } });
  const people = {} as Record<'ann' | 'bob' | 'cleo' | 'otto' | 'vera', Person>;
  beforeAll(async () => {
    for (const [person, name, role] of [
      ['ann', 'Ann', 'treasurer'],
      ['bob', 'Bob', 'treasurer'],
      ['cleo', 'Cleo', 'owner'],
      ['otto', 'Otto', 'owner'],
      ['vera', 'Vera', 'viewer'],
    ] as const) {
      const { api_key: key } = await expectStatus(
        201,
        console.corridor.admin('POST', '/api/admin/admins', { name, role }),
      );
      people[person] = { name, key, call: console.corridor.as(key) };
    }
  });
  /** Nothing of an earlier test waits. */
  beforeEach(() => console.corridor.db.query('t-none', `delete from approval`, []));

  const openAs = async ({ key }: Person, path = 'approvals'): Promise<Page> => {
    const visitor = await console.visit();
    await signIn(visitor, key);
    await visitor.page.goto(`/console#/${path}`);
    return visitor.page;
  };
  let sent = 0;
  const propose = async ({ call }: Person, path: string, body: object): Promise<number> => {
    const headers = { 'idempotency-key': `key-${++sent}` };
    return (await expectStatus(202, call('POST', path, body, headers))).approval.id;
  };
  const payout = (amount: number) =>
    propose(people.ann, '/api/admin/ledger/payouts', { amount, reason: 'Fees of January' });
  const buttonsIn = (row: Locator) => row.getByRole('button').allInnerTexts();

  test('one admin proposes a slash, a second one reads its dry run and approves it', async () => {
    const agent = await newAgent(console.corridor);
    const lp = await newLp(console.corridor);
    const id = await newOrder(agent);
    await expectStatus(200, claim(lp, id));
    await expectStatus(200, dispute(agent, id));
    const ann = await openAs(people.ann, `disputes/${id}`);
    await ann.getByLabel('Slash, USD').fill('2');
    await ann.getByRole('button', { name: 'Dry run' }).click();
    await ann
      .getByRole('row', { name: /^slash/ })
      .nth(1)
      .waitFor();
    await ann.getByRole('button', { name: 'Resolve as cancelled' }).click();
    await ann.getByRole('dialog').getByLabel('Reason').fill('Nothing has arrived');
    await ann.getByRole('dialog').getByRole('button', { name: 'Resolve as cancelled' }).click();
    await ann.getByRole('dialog').getByText('another admin must approve proposal').waitFor();
    await ann.getByRole('link', { name: 'Show the proposals' }).click();
    await ann.getByRole('heading', { name: 'Approvals', level: 1 }).waitFor();
    const own = ann.getByRole('row').filter({ hasText: `Resolve the dispute of order ${id}` });
    await own.getByText('Another admin must approve it.').waitFor();
    expect(await buttonsIn(own)).toEqual(['Withdraw']);

    const bob = await openAs(people.bob);
    const row = bob.getByRole('row').filter({ hasText: `Resolve the dispute of order ${id}` });
    await row.getByText('Ann, admin').waitFor();
    await row.getByText('until').waitFor();
    await row.getByRole('button', { name: /^Approve/ }).click();
    const dialog = bob.getByRole('dialog', { name: /^Approve proposal/ });
    await dialog.getByRole('row', { name: /^slash LP .* US\$2\.00$/ }).waitFor();
    await dialog.getByText('Nothing has arrived').waitFor();
    expect(await statusOf(agent, id)).toBe('disputed');
    await dialog.getByRole('button', { name: 'Approve and carry out' }).click();
    await bob.getByRole('status').getByText('is approved and carried out.').waitFor();
    await row.getByText('by Bob, admin').waitFor();
    expect(await buttonsIn(row)).toEqual([]);
    expect(await statusOf(agent, id)).toBe('cancelled');
  });

  test('a role that may not approve reads the proposal, and whom it waits for', async () => {
    const id = await payout(0.05);
    const page = await openAs(people.vera);
    const row = rowOf(page, id);
    await row.getByText('Waits for an admin with the role treasurer or owner.').waitFor();
    await row.getByText('Record a payout of US$0.05 of fees').click();
    await row.getByText('Fees of January').waitFor();
    expect(await buttonsIn(row)).toEqual([]);
  });

  test('is asked before it is rejected, and the focus returns', async () => {
    const id = await payout(0.05);
    const page = await openAs(people.bob);
    await rowOf(page, id)
      .getByRole('button', { name: `Reject proposal ${id}` })
      .click();
    const dialog = page.getByRole('dialog', { name: `Reject proposal ${id}` });
    await dialog.getByText('Nothing is carried out.').waitFor();
    await page.keyboard.press('Escape');
    await untilClosed(page);
    expect(await focusOf(page)).toMatchObject({ name: `Reject proposal ${id}` });
    expect(await buttonsIn(rowOf(page, id))).toEqual(['Approve', 'Reject']);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Reject' }).click();
    await rowOf(page, id).getByText('Rejected').waitFor();
    await rowOf(page, id).getByText('by Bob, admin').waitFor();
  });

  test('is withdrawn by its proposer', async () => {
    const id = await payout(0.05);
    const page = await openAs(people.ann);
    await rowOf(page, id)
      .getByRole('button', { name: `Withdraw proposal ${id}` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('status').getByText(`Proposal ${id} is withdrawn.`).waitFor();
    await rowOf(page, id).getByText('by Ann, admin').waitFor();
  });

  test('shows the approver the key of a new admin, once', async () => {
    const body = { name: 'Dora', role: 'support', allowed_ips: ['127.0.0.1', '10.0.0.0/8'] };
    const id = await propose(people.cleo, '/api/admin/admins', body);
    const { page } = await console.openAdminPage('Approvals');
    await rowOf(page, id)
      .getByRole('button', { name: /^Approve/ })
      .click();
    await page.getByRole('dialog').getByText('127.0.0.1, 10.0.0.0/8').waitFor();
    await page.getByRole('button', { name: 'Approve and carry out' }).click();
    const secret = page.getByRole('dialog', { name: 'The key of Dora' });
    await secret.getByText('Hand it over to Dora.').waitFor();
    const key = await secret.locator('code').innerText();
    await secret.getByRole('button', { name: 'I have stored it' }).click();
    await untilClosed(page);
    expect(await page.content()).not.toContain(key);
    const me = await expectStatus(200, console.corridor.as(key)('GET', '/api/admin/whoami'));
    expect(me).toMatchObject({ name: 'Dora', role: 'support' });

    // The next proposal about the same person says who that is, and what the role is now.
    const change = await propose(people.cleo, `/api/admin/admins/${me.id}`, { role: 'risk' });
    await rowOf(page, change).getByText(`Change admin ${me.id}`).click();
    await rowOf(page, change).getByText('Dora, support when it was proposed').waitFor();
  });

  test('that would end the key of its approver is for another admin to approve', async () => {
    const { id: ottoId } = await expectStatus(200, people.otto.call('GET', '/api/admin/whoami'));
    const rotation = `/api/admin/admins/${ottoId}/rotate`;
    const page = await openAs(people.otto);
    const openDialog = async (overlap: string | number) => {
      const id = await propose(people.cleo, rotation, { overlap });
      await page.reload();
      await rowOf(page, id)
        .getByRole('button', { name: /^Approve/ })
        .click();
      return page.getByRole('dialog', { name: `Approve proposal ${id}` });
    };
    for (const overlap of ['0s', 0]) {
      const dialog = await openDialog(overlap);
      await dialog.getByText('This ends your own key').waitFor();
      expect(await buttonsIn(dialog)).toEqual(['×']);
    }
    const dialog = await openDialog('24h');
    await dialog.getByRole('button', { name: 'Approve and carry out' }).click();
    const secret = page.getByRole('dialog', { name: 'The key of Otto' });
    const key = await secret.locator('code').innerText();
    await expectStatus(200, console.corridor.as(key)('GET', '/api/admin/whoami'));
  });

  test('that is approved and could not be carried out is approved again by the same admin alone', async () => {
    const id = await payout(1_000_000);
    const page = await openAs(people.bob);
    await rowOf(page, id)
      .getByRole('button', { name: /^Approve/ })
      .click();
    await page.getByRole('button', { name: 'Approve and carry out' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('platform:fees has less than that').waitFor();
    await page.keyboard.press('Escape');
    await rowOf(page, id).getByText('not carried out').waitFor();
    expect(await buttonsIn(rowOf(page, id))).toEqual(['Approve again', 'Reject']);
    const cleo = await openAs(people.cleo);
    await rowOf(cleo, id).getByText('not carried out').waitFor();
    expect(await buttonsIn(rowOf(cleo, id))).toEqual(['Reject']);
    const ann = await openAs(people.ann);
    await rowOf(ann, id)
      .getByRole('button', { name: `Withdraw proposal ${id}` })
      .click();
    await ann.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await rowOf(ann, id).getByText('Rejected').waitFor();
    expect(await buttonsIn(rowOf(ann, id))).toEqual([]);
  });

  test('has ended after 24 hours, and the filter finds it', async () => {
    const [old, rejected] = [await payout(0.05), await payout(0.06)];
    await console.corridor.db.query('t-age', `update approval set expires_at = now() where id = $1`, [old]);
    await expectStatus(200, people.bob.call('POST', `/api/admin/approvals/${rejected}/reject`));
    const open = await payout(0.07);
    const { waiting_for_admin } = await expectStatus(200, people.bob.call('GET', '/api/admin/overview'));
    expect(waiting_for_admin.proposals).toBe(1);
    const page = await openAs(people.bob, 'health');
    await page.getByText('Proposals to approve').waitFor();
    await page.goto('/console#/approvals');
    await rowOf(page, open).waitFor();
    await rowOf(page, rejected).waitFor();
    await page.getByLabel('Status').selectOption('proposed');
    await page.getByRole('button', { name: 'Apply' }).click();
    await rowOf(page, rejected).waitFor({ state: 'detached' });
    await rowOf(page, old).getByText('Expired').waitFor();
    expect(await buttonsIn(rowOf(page, old))).toEqual([]);
  });
});
