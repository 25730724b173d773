import { beforeAll, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import { newAgent, newLp, type TestLp } from '../../support/actors.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { useConsole } from '../../support/console.ts';
import { eventuallyEquals } from '../../support/eventually.ts';

describeInBrowser('the sessions of the console', () => {
  const console = useConsole({ worker: false });
  let lp: TestLp;
  let adminKey: string;
  beforeAll(async () => {
    const { corridor } = console;
    lp = await newLp(corridor);
    const ada = { name: 'Ada, owner', role: 'owner' };
    adminKey = (await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ada))).api_key;
  });

  const otherTab = async (context: BrowserContext): Promise<Page> => {
    const page = await context.newPage();
    await page.goto('/console');
    return page;
  };
  const isSignedOut = (page: Page) => page.getByLabel('Key').waitFor();
  /** The page may learn it by itself before the click. */
  const noticesEnd = async (page: Page, link: string) => {
    await Promise.any([page.getByRole('link', { name: link, exact: true }).click(), isSignedOut(page)]);
    await isSignedOut(page);
  };
  const signOutEverywhere = async (page: Page, name: string) => {
    await page.getByRole('button', { name: `Your session: ${name}` }).click();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await isSignedOut(page);
  };

  test('hold in all tabs of a browser, and end in all of them', async () => {
    const visitor = await console.visit();
    await signIn(visitor, adminKey);
    const tab = await otherTab(visitor.context);
    await tab.getByRole('button', { name: 'Your session: Ada, owner' }).waitFor();
    await tab.getByRole('button', { name: 'Sign out', exact: true }).click();
    await isSignedOut(tab);
    await isSignedOut(visitor.page);
    await visitor.page.getByText('You have signed out in another tab.').waitFor();
    // A sign-in in one tab is one in the other.
    await tab.getByLabel('Key').fill(lp.key);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
  });

  test('end in another browser with “Sign out everywhere”, which names the reason there', async () => {
    const [one, two] = [await console.visit(), await console.visit()];
    await signIn(one, adminKey);
    await signIn(two, adminKey);
    await signOutEverywhere(one.page, 'Ada, owner');
    await noticesEnd(two.page, 'Orders');
    await two.page.getByText('Your session has ended: sign in again').waitFor();
  });

  test('end one by one, from the list of the open ones', async () => {
    await expectStatus(200, console.corridor.as(adminKey)('DELETE', '/api/console/sessions'));
    const [one, two] = [await console.visit(), await console.visit()];
    await signIn(one, adminKey);
    await signIn(two, adminKey);
    await one.page.getByRole('button', { name: 'Your session: Ada, owner' }).click();
    const others = one.page.getByRole('row').filter({ hasText: 'Chrome' }).filter({ hasNotText: 'this one' });
    await others.getByRole('button', { name: /^End the session/ }).click();
    await one.page.getByText('The session has ended.').waitFor();
    await others.waitFor({ state: 'detached' });
    await noticesEnd(two.page, 'Orders');
  });

  test('end when they are not used, and a new sign-in goes on at the same page', async () => {
    const { page, visitor } = await console.openAdminPage('Users');
    await page.getByText('Users, newest first').waitFor();
    // Otherwise the page's next reading of the list could find the end of the session first.
    const { promise: mayRead, resolve: letRead } = Promise.withResolvers<void>();
    await page.route('**/api/admin/users', async (route) => {
      if (route.request().method() === 'GET') await mayRead;
      await route.continue();
    });
    await page.getByLabel('Name').fill('A payer');
    await console.corridor.db.query(
      't-idle',
      `update session set last_used_at = now() - interval '31 minutes'`,
      [],
    );
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('Your session has ended: sign in again').waitFor();
    letRead();
    await signIn(visitor, adminKey);
    await page.getByRole('heading', { name: 'Users', level: 1 }).waitFor();
    const rows = await console.corridor.admin('GET', '/api/admin/users');
    expect(JSON.stringify(rows.body)).not.toContain('A payer');
  });

  test('end with their key, which the sign-in page names with the reason, also after a reload', async () => {
    const visitor = await console.visit();
    const { page } = visitor;
    const agent = await newAgent(console.corridor);
    await signIn(visitor, agent.key);
    await page.getByRole('heading', { name: 'Orders', level: 1 }).waitFor();
    await expectStatus(200, console.corridor.admin('DELETE', `/api/admin/agent-keys/${agent.keyId}`));
    await noticesEnd(page, 'Key');
    const reason = page.getByText(`Your key ${agent.keyId} “test” was deactivated`);
    await reason.waitFor();
    await page.reload();
    await isSignedOut(page);
    await reason.waitFor();
  });

  test('of one owner continue in a tab whose session another tab has replaced', async () => {
    const { page, visitor } = await console.openAdminPage('Users');
    const tab = await otherTab(visitor.context);
    // The other tab signs in again as the same admin, as a page of the console does, but without notifying this one.
    const status = await tab.evaluate<number>(
      `fetch('/api/console/session', { method: 'POST', headers: { authorization: 'Bearer test-admin-key-of-some-length' } })
        .then(({ status }) => status)`,
    );
    expect(status).toBe(201);
    await page.getByLabel('Name').fill('Another payer');
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText(/^User \d+ is created\.$/).waitFor();
  });

  test('begin with a registration, which shows the key once', async () => {
    const { page } = await console.visit();
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByLabel('Name').fill('Lakeside Liquidity');
    await page.getByLabel('Phone number').fill('+254700000009');
    await page.getByLabel('XRP Ledger account').fill('rLakesideAccount');
    await page.getByRole('button', { name: 'Register', exact: true }).click();
    await page.getByText('Store this key now: it is not shown again.').waitFor();
    const key = await page.locator('code.secret').innerText();
    expect(key).toMatch(/^lp_[0-9a-f]{48}$/);
    await page.getByRole('button', { name: 'I have stored it: sign in' }).click();
    await page.getByRole('heading', { name: 'Market', level: 1 }).waitFor();
    expect(await page.content()).not.toContain(key);
    const found = async () =>
      (await console.corridor.as(key)('GET', `/api/lp/${key}/dashboard`)).body.lp.display_name;
    await eventuallyEquals(found, 'Lakeside Liquidity');
  });
});
