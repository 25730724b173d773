import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { mayDo, type Permission, ROLES, type Role } from '../../../src/domain/permissions.ts';
import { claim, dispute, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { describeInBrowser, signIn, type Visitor } from '../../support/browser.ts';
import { dryRun } from '../../support/bulk.ts';
import { useConsole } from '../../support/console.ts';
import { eventually, eventuallyEquals } from '../../support/eventually.ts';
import { openIncident } from '../../support/incidents.ts';

/** The buttons that change something, by the page that has them, with the route that each calls. */
const BUTTONS: Record<string, [name: RegExp, route: string][]> = {
  health: [
    [/^Pause payments/, 'POST /api/admin/pauses'],
    [/^Resume /, 'DELETE /api/admin/pauses/{id}'],
    [/^Open an incident/, 'POST /api/admin/incidents'],
    [/^Close the incident/, 'POST /api/admin/incidents/{id}/close'],
  ],
  orders: [],
  'orders/OPEN': [
    [/^Extend/, 'POST /api/admin/orders/{id}/extend'],
    [/^Freeze/, 'POST /api/admin/orders/{id}/freeze'],
    [/^Cancel/, 'POST /api/admin/orders/{id}/cancel'],
  ],
  disputes: [],
  'disputes/DISPUTED': [
    [/^Dry run/, 'POST /api/admin/orders/{id}/resolve'],
    [/^Resolve as cancelled/, 'POST /api/admin/orders/{id}/resolve'],
    [/^Resolve as completed/, 'POST /api/admin/orders/{id}/resolve'],
  ],
  'bulk-runs/BULK': [[/^Stop/, 'POST /api/admin/bulk-runs/{id}/stop']],
  lps: [
    [/^Suspend LP/, 'POST /api/admin/lps/{id}/suspend'],
    [/^Set the tier/, 'POST /api/admin/lps/{id}/tier'],
  ],
  withdrawals: [
    [/^Mark as paid/, 'POST /api/admin/withdrawals/{id}/paid'],
    [/^Reject/, 'POST /api/admin/withdrawals/{id}/reject'],
  ],
  webhooks: [[/^Send again/, 'POST /api/admin/webhook-deliveries/{id}/redeliver']],
  keys: [
    [/^Create a key/, 'POST /api/admin/agent-keys'],
    [/^Change key/, 'POST /api/admin/agent-keys/{id}'],
    [/^Rotate key/, 'POST /api/admin/agent-keys/{id}/rotate'],
    [/^Deactivate key/, 'DELETE /api/admin/agent-keys/{id}'],
  ],
  users: [[/^Create user/, 'POST /api/admin/users']],
  ledger: [],
  audit: [],
};
/** Buttons that change nothing. */
const READING = /^(Apply|Check again|Save|Copy .*)$/;

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { 'x-permission'?: Permission }>>;
};
/** What the document of the API says that a route needs. */
function permissionOf(route: string): Permission {
  const [method = '', path = ''] = route.split(' ');
  const permission = paths[path]?.[method.toLowerCase()]?.['x-permission'];
  if (!permission) throw new Error(`The document names no permission of ${route}`);
  return permission;
}

describeInBrowser('each role of admins, in the console', () => {
  const console = useConsole();
  const keys = {} as Record<Role, string>;
  const ids: Record<string, number> = {};
  let viewerId: number;

  beforeAll(async () => {
    const { corridor } = console;
    for (const role of ROLES) {
      const body = { name: `A ${role}`, role };
      const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', body));
      keys[role] = api_key;
      if (role === 'viewer') viewerId = id;
    }
    const agent = await newAgent(corridor);
    const lp = await newLp(corridor, { collateral: 100 });
    const disputed = await newOrder(agent, { callback_url: corridor.receiver.url });
    await expectStatus(200, claim(lp, disputed));
    await expectStatus(200, dispute(agent, disputed));
    ids.DISPUTED = disputed;
    ids.OPEN = await newOrder(agent);
    ids.BULK = (await dryRun(corridor.admin, 'freeze', 'status=matched')).id;
    const withdrawal = { amount: 2, address: 'TMyOwnAddress' };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, withdrawal));
    const pause = { reason: 'A test', currency: 'UGX' };
    await expectStatus(201, corridor.admin('POST', '/api/admin/pauses', pause));
    await openIncident(corridor.admin, { chain: 'eth' });
    await eventually(async () => {
      const path = '/api/admin/webhook-deliveries?state=delivered';
      return (await expectStatus(200, corridor.admin('GET', path))).deliveries.length > 0;
    });
  });

  const openAs = async (key: string): Promise<Visitor> => {
    const visitor = await console.visit();
    await signIn(visitor, key);
    return visitor;
  };
  const buttonsOf = async (page: Page, path: string): Promise<string[]> => {
    await page.goto(`/console#/${path.replace(/[A-Z]+$/, (name) => String(ids[name]))}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await eventuallyEquals(() => page.locator('.spinner').count(), 0);
    const all = await page.locator('main').getByRole('button').all();
    const names = await Promise.all(
      all.map(async (one) => (await one.getAttribute('aria-label')) ?? (await one.innerText())),
    );
    return names.filter((name) => !READING.test(name));
  };

  test.each(ROLES)('a %s has the buttons that the role may use, and no other', async (role) => {
    const { page } = await openAs(keys[role]);
    for (const [path, buttons] of Object.entries(BUTTONS)) {
      const names = await buttonsOf(page, path);
      const allowed = buttons.filter(([, route]) => mayDo(role, permissionOf(route)));
      const missing = allowed.filter(([name]) => !names.some((one) => name.test(one)));
      const surplus = names.filter((one) => !allowed.some(([name]) => name.test(one)));
      expect({ path, missing, surplus }).toEqual({ path, missing: [], surplus: [] });
      const saysWhy = (await page.getByText('Your role may not').count()) > 0;
      // The page of a bulk run only reports: most of its runs have ended.
      if (path !== 'bulk-runs/BULK') expect([path, saysWhy]).toEqual([path, allowed.length < buttons.length]);
    }
  });

  test('a role that is changed meanwhile takes the buttons away with the first refusal', async () => {
    const { corridor } = console;
    const change = (role: Role) =>
      expectStatus(200, corridor.admin('POST', `/api/admin/admins/${viewerId}`, { role }));
    await change('support');
    const { page } = await openAs(keys.viewer);
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    const create = page.getByRole('button', { name: 'Create user' });
    await create.waitFor();
    await change('viewer');
    await create.click();
    await page.getByText('Your role may not create users').waitFor();
    await create.waitFor({ state: 'detached' });
  });
});
