import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { newLp, type TestLp } from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import type { TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';

describeInBrowser('the audit, in the console', () => {
  const console = useConsole({ worker: false });
  let corridor: TestCorridor;
  let lp: TestLp;
  let vera: { id: number; api_key: string };
  beforeAll(async () => {
    corridor = console.corridor;
    lp = await newLp(corridor);
    const person = { name: 'Vera', role: 'viewer' };
    vera = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', person));
    await expectStatus(200, corridor.admin('POST', `/api/admin/lps/${lp.id}/tier`, { tier: 2 }));
    await expectStatus(403, corridor.as(vera.api_key)('POST', `/api/admin/lps/${lp.id}/suspend`, {}));
    for (let more = 0; more < 25; more++)
      await expectStatus(201, corridor.admin('POST', '/api/admin/users', { name: `User ${more}` }));
  });

  const rows = (page: Page) => page.getByRole('row').filter({ has: page.getByRole('cell') });
  const filter = async (page: Page, label: string, value: string) => {
    await page.getByLabel(label, { exact: true }).fill(value);
    await page.getByRole('button', { name: 'Apply' }).click();
  };

  test('says in words who did what, with what changed and what was refused', async () => {
    const { page } = await console.openAdminPage('Audit');
    await filter(page, 'Object', `lp:${lp.id}`);
    const tier = rows(page).filter({ hasText: 'Set the tier of an LP' });
    await tier.getByText(/^tier: \d → 2$/).waitFor();
    await tier.getByText('root', { exact: true }).waitFor();
    await tier.getByRole('link', { name: `LP ${lp.id}` }).waitFor();
    const refused = rows(page).filter({ hasText: 'Suspended an LP' });
    await refused.getByText('refused: permission missing').waitFor();
    await refused.getByText(`Vera, admin ${vera.id}`).waitFor();
    const registered = rows(page).filter({ hasText: 'Registered an LP' }).last();
    await registered.getByText('a caller without a key').waitFor();
    await registered.getByText(/^\d+ fields$/).click();
    // The audit keeps no phone numbers and no keys.
    await registered.getByText('mpesa phone: – → …').waitFor();
    expect(await page.locator('tbody').innerText()).not.toMatch(/\/api\/|permission_missing|admin:root/);
  });

  test('is filtered by actor, action and day, and by what a row names', async () => {
    const { page } = await console.openAdminPage('Audit');
    await filter(page, 'Actor', `admin:${vera.id}`);
    await eventuallyEquals(() => rows(page).count(), 1);
    await page.getByLabel('Actor').fill('');
    await page.getByLabel('Action').selectOption({ label: 'Added an admin' });
    await page.getByRole('button', { name: 'Apply' }).click();
    await rows(page).getByText('name: – → Vera').or(rows(page).getByText('fields')).first().waitFor();
    await eventuallyEquals(() => rows(page).count(), 1);
    await rows(page)
      .getByRole('link', { name: `admin ${vera.id}`, exact: true })
      .click();
    await eventuallyEquals(() => page.getByLabel('Object').inputValue(), `admin:${vera.id}`);
    await page.goto('/console#/audit?until=2026-01-01');
    await page.getByText('No events match.').waitFor();
    await page.goto(`/console#/audit?since=2026-01-01&object=lp:${lp.id}`);
    await rows(page).first().waitFor();
    // All events of one request.
    await rows(page)
      .filter({ hasText: 'Set the tier of an LP' })
      .getByTitle(/^All events of the request/)
      .click();
    await page.getByText('Only the events of the request').waitFor();
    await eventuallyEquals(() => rows(page).count(), 1);
    await page.goto(`/console#/audit?actor=${'a'.repeat(65)}`);
    await page.getByRole('alert').getByText('Validation failed: actor').waitFor();
  });

  test('has pages', async () => {
    const { page } = await console.openAdminPage('Audit');
    await eventuallyEquals(() => rows(page).count(), 20);
    await page.getByRole('link', { name: 'Older' }).click();
    await rows(page).filter({ hasText: 'Set the tier of an LP' }).waitFor();
    await page.getByRole('link', { name: 'Newest' }).click();
    await eventuallyEquals(() => rows(page).count(), 20);
  });
});
