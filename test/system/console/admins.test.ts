import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { rowOf, useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { focusOf, tabTo, untilClosed } from '../../support/keyboard.ts';

interface Person {
  id: number;
  api_key: string;
}

describeInBrowser('the admins, in the console', () => {
  const console = useConsole({ worker: false });
  let corridor: TestCorridor;
  let owner: Person;
  beforeAll(async () => {
    corridor = console.corridor;
    owner = await add('Ada', 'owner');
  });

  const add = (name: string, role: string): Promise<Person> =>
    expectStatus(201, corridor.admin('POST', '/api/admin/admins', { name, role }));
  const whoami = (key: string) => corridor.as(key)('GET', '/api/admin/whoami');
  const openAs = async (key: string, page: string): Promise<Page> => {
    const visitor = await console.visit();
    await signIn(visitor, key);
    await visitor.page.goto(`/console#/${page}`);
    return visitor.page;
  };
  const readKey = async (page: Page, name: string): Promise<string> => {
    const dialog = page.getByRole('dialog', { name: `The key of ${name}` });
    await dialog.getByText('not shown again').waitFor();
    const key = await dialog.locator('code').innerText();
    await dialog.getByRole('button', { name: 'I have stored it' }).click();
    await untilClosed(page);
    expect(await page.content()).not.toContain(key);
    return key;
  };

  test('an owner adds, changes, rotates and deactivates an admin, and sees each key once', async () => {
    const page = await openAs(owner.api_key, 'admins');
    await page.getByRole('button', { name: 'Add an admin' }).click();
    const creation = page.getByRole('dialog', { name: 'Add an admin' });
    await creation.getByLabel('Name').fill('Ben');
    await creation.getByLabel('Role').selectOption('support');
    await creation.getByText('extend, freeze, unfreeze and cancel orders').waitFor();
    await creation.getByLabel('Allowed addresses').fill('127.0.0.1, 10.0.0.0/8');
    await creation.getByLabel('Valid until').fill('2098-01-01');
    await creation.getByRole('button', { name: 'Add the admin' }).click();
    const first = await readKey(page, 'Ben');
    const { id } = (await expectStatus(200, whoami(first))) as Person;
    await rowOf(page, id).getByText('127.0.0.1/32, 10.0.0.0/8').waitFor();
    await rowOf(page, id).getByText('ends 2098-01-01').waitFor();

    await page.getByRole('button', { name: 'Change Ben' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('risk');
    await page.getByRole('dialog').getByLabel('Valid until').fill('');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await rowOf(page, id)
      .getByRole('cell', { name: /^risk\b/ })
      .waitFor();
    expect((await whoami(first)).body.role).toBe('risk');
    expect(await rowOf(page, id).getByText('ends').count()).toBe(0);

    await page.getByRole('button', { name: 'Rotate the key of Ben' }).click();
    const rotation = page.getByRole('dialog', { name: 'Rotate the key of Ben' });
    await rotation.getByLabel('The old key stays valid for').selectOption('0s');
    await rotation.getByRole('button', { name: 'Rotate the key' }).click();
    const second = await readKey(page, 'Ben');
    expect([(await whoami(first)).status, (await whoami(second)).status]).toEqual([403, 200]);

    await page.getByRole('button', { name: 'Deactivate Ben' }).click();
    await page.getByRole('dialog').getByText('This cannot be undone').waitFor();
    await page.getByRole('dialog').getByLabel('Reason').fill('It has left');
    await page.getByRole('button', { name: 'Deactivate permanently' }).click();
    await rowOf(page, id).getByText('inactive').waitFor();
    expect(await rowOf(page, id).getByRole('button').count()).toBe(0);
    expect((await whoami(second)).status).toBe(403);
  });

  test('an owner learns what the change of the own key does, and cannot end it before the new one is copied', async () => {
    const { api_key } = await add('Cleo', 'owner');
    const page = await openAs(api_key, 'admins');
    await page.getByRole('button', { name: 'Rotate the key of Cleo' }).click();
    const rotation = page.getByRole('dialog', { name: 'Rotate the key of Cleo' });
    await rotation.getByText('This is your own key').waitFor();
    expect(await rotation.getByRole('option').allInnerTexts()).not.toContainEqual(
      expect.stringContaining('leaked'),
    );
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Deactivate Cleo' }).click();
    await page.getByRole('dialog').getByText('signs you out immediately').waitFor();
    await page.getByRole('dialog').getByLabel('Reason').fill('It has left');
    await page.getByRole('button', { name: 'Deactivate permanently' }).click();
    await page.getByText('The key of “Cleo” was deactivated').waitFor();
  });

  test('with the keyboard alone, an owner reaches the dialog, leaves it, and deactivates an admin', async () => {
    const { id } = await add('Dora', 'viewer');
    const page = await openAs(owner.api_key, 'admins');
    await rowOf(page, id).getByText('active').waitFor();
    await tabTo(page, 'Deactivate Dora');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Deactivate Dora' }).waitFor();
    await page.keyboard.press('Escape');
    await untilClosed(page);
    expect(await focusOf(page)).toEqual({ tag: 'BUTTON', name: 'Deactivate Dora', isVisible: true });
    await page.keyboard.press('Space');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('It has left');
    await tabTo(page, 'Deactivate permanently');
    await page.keyboard.press('Enter');
    await rowOf(page, id).getByText('inactive').waitFor();
  });

  test.each(['viewer', 'support', 'risk', 'treasurer'])('a %s has no page of admins', async (role) => {
    const { api_key } = await add(`A ${role}`, role);
    const page = await openAs(api_key, 'admins');
    await page.getByText('Your role may not add, change and deactivate admins').waitFor();
    await page.getByText('Ask an admin with the role owner.').waitFor();
    const navigation = page.getByRole('navigation', { name: 'Console' });
    await navigation.getByRole('link', { name: 'Audit', exact: true }).waitFor();
    expect(await navigation.getByRole('link', { name: 'Admins', exact: true }).count()).toBe(0);
  });
});

describeInBrowser('with four eyes, in the console', () => {
  const console = useConsole({ worker: false, env: { APPROVALS: 'on' } });

  test('an owner who adds an admin reads that another person must approve it, and sends it once', async () => {
    const { corridor } = console;
    const ada = { name: 'Ada', role: 'owner' };
    const { api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ada));
    const visitor = await console.visit();
    const { page } = visitor;
    await signIn(visitor, api_key);
    await page.getByRole('link', { name: 'Admins', exact: true }).click();
    await page.getByRole('button', { name: 'Add an admin' }).click();
    const creation = page.getByRole('dialog', { name: 'Add an admin' });
    await creation.getByLabel('Name').fill('Ben');
    await creation.getByRole('button', { name: 'Add the admin' }).click();
    await creation.getByText('another admin must approve proposal 1 within 24 hours').waitFor();
    expect(await creation.getByRole('button', { name: 'Add the admin' }).count()).toBe(0);
    const { approvals } = await expectStatus(200, corridor.admin('GET', '/api/admin/approvals'));
    expect(approvals).toHaveLength(1);
    await page.keyboard.press('Escape');
    await eventuallyEquals(() => page.getByRole('row').count(), 2);

    // The dialog sends nothing that nobody has changed.
    await page.getByRole('button', { name: 'Change Ada' }).click();
    const change = page.getByRole('dialog', { name: 'Change Ada' });
    await change.getByLabel('Name').fill('Ada B.');
    await change.getByRole('button', { name: 'Save' }).click();
    await change.getByText('another admin must approve proposal 2').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change Ada' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByText('is updated.').waitFor();
    await page.getByRole('button', { name: 'Change Ada' }).click();
    await page.getByRole('dialog').getByLabel('Allowed addresses').fill('127.0.0.1');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByText('another admin must approve proposal 3').waitFor();
  });
});
