import { readdirSync, readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectStatus } from '../../../dev/http-client.ts';
import {
  cancel,
  claim,
  completedOrder,
  dispute,
  fiatSent,
  newAgent,
  newLp,
  newOrder,
  type TestLp,
} from '../../support/actors.ts';
import { findWithAxe } from '../../support/axe.ts';
import { describeInBrowser, signIn } from '../../support/browser.ts';
import { bulk } from '../../support/bulk.ts';
import { useConsole } from '../../support/console.ts';
import { ADMIN_KEY } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';
import { openIncident } from '../../support/incidents.ts';
import { findOverflow } from '../../support/page-checks.ts';
import { proposeThree } from '../../support/proposals.ts';

const WIDTHS = [360, 390, 1_280];
const SCHEMES = ['light', 'dark'] as const;

/** The pages of each role, by the tables in `console/src/ROLE/sections.ts`. */
const SECTIONS = readdirSync('console/src').flatMap((role) => {
  try {
    const table = readFileSync(`console/src/${role}/sections.ts`, 'utf8');
    const rows = [...table.matchAll(/\{ path: '([\w-]+)', title: '([^']+)'/g)];
    return [{ role, pages: rows.map(([, path = '', title = '']) => ({ path, title })) }];
  } catch {
    return [];
  }
});

/** Every page, with data in it, at each width in both themes: axe finds nothing, and nothing is wider than the window. */
describeInBrowser('axe finds nothing', () => {
  const console = useConsole({
    env: { APPROVALS: 'on', EXPLORER_URLS: 'trx=https://explorer.example/#/transaction/{tx}' },
  });
  /** The key of each role. */
  const keys: Record<string, string> = { admin: ADMIN_KEY };
  /** Pages of a role that its navigation does not name, each with a text on it. */
  let more: Record<string, [path: string, text: string][]>;
  let lp: TestLp;

  beforeAll(async () => {
    const { corridor } = console;
    const agent = await newAgent(corridor);
    lp = await newLp(corridor, { collateral: 2_000, spreadBps: 100 });
    keys.lp = lp.key;
    keys.agent = agent.key;
    const webhooks = { callback_url: corridor.receiver.url };
    const completed = await completedOrder(corridor, agent, lp, webhooks);
    await expectStatus(200, cancel(agent, await newOrder(agent, webhooks)));
    const active = await newOrder(agent, { amount: 25_900 });
    await expectStatus(200, claim(lp, active));
    await newOrder(agent, { amount: 3_237.5 });
    const disputed = await newOrder(agent, webhooks);
    await expectStatus(200, claim(lp, disputed));
    await expectStatus(200, fiatSent(lp, disputed));
    await expectStatus(200, dispute(agent, disputed));
    const withdrawal = { amount: 250, address: 'TMyOwnAddress' };
    await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, withdrawal));
    const deposit = { amount: 50, asset: 'usdt', chain: 'trx' };
    await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/collateral/deposit`, deposit));
    await expectStatus(
      201,
      corridor.admin('POST', '/api/admin/pauses', { reason: 'A test', currency: 'UGX' }),
    );
    await openIncident(corridor.admin, { chain: 'eth' });
    const { id: bulkRun } = await bulk(corridor.admin, 'freeze', 'status=completed,disputed');
    await proposeThree(corridor, disputed);
    const ben = { name: 'Ben', role: 'support', expires_at: '2098-01-01' };
    await expectStatus(201, corridor.admin('POST', '/api/admin/admins', ben));
    more = {
      admin: [
        ['audit?object=admin:1', 'admin 1'],
        [`orders/${completed}`, 'The order has ended.'],
        [`disputes/${disputed}`, 'Outcome: cancelled'],
        [`bulk-runs/${bulkRun}`, 'What became of the orders'],
        ['search?q=test', 'Results for'],
        ['nowhere', 'Page not found'],
      ],
      agent: [[`orders/${completed}`, 'Payment verified']],
      lp: [
        [`orders/${active}`, 'waits for the LP'],
        [`orders/${completed}`, 'Payment verified'],
      ],
    };
  });

  /** What is wrong with the page as it is now, in each form. */
  async function findFaults(page: Page, name: string): Promise<string[]> {
    const faults: string[] = [];
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 });
        const found = [...(await findWithAxe(page)), ...(await findOverflow(page))];
        faults.push(...found.map((fault) => `${name}, ${colorScheme}, ${width} px: ${fault}`));
      }
    }
    return faults;
  }

  test('on the pages that need no sign-in', async () => {
    const { page } = await console.visit();
    const faults: string[] = [];
    for (const [path, heading] of [
      ['/', 'Corridor'],
      ['/docs/errors', 'Errors'],
      ['/console', 'Corridor'],
    ] as const) {
      await page.goto(path);
      await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
      faults.push(...(await findFaults(page, path)));
    }
    await page.getByRole('button', { name: 'Register' }).click();
    await page.getByRole('heading', { name: 'Register as a liquidity provider' }).waitFor();
    faults.push(...(await findFaults(page, 'registration')));
    expect(faults).toEqual([]);
  });

  test.each(SECTIONS)(
    'on the pages of the role $role',
    async ({ role, pages }) => {
      const key = keys[role];
      if (key === undefined) throw new Error(`this test has no key of the role ${role}`);
      expect(pages.length).toBeGreaterThan(2);
      const visitor = await console.visit();
      const { page } = visitor;
      await signIn(visitor, key);
      const faults: string[] = [];
      for (const { path, title } of pages) {
        await page.goto(`/console#/${path}`);
        await page.getByRole('heading', { name: title, level: 1 }).waitFor();
        await eventuallyEquals(() => page.locator('.spinner').count(), 0);
        faults.push(...(await findFaults(page, `${role}: ${title}`)));
      }
      for (const [path, text] of more[role] ?? []) {
        await page.goto(`/console#/${path}`);
        await page.getByText(text).first().waitFor();
        await eventuallyEquals(() => page.locator('.spinner').count(), 0);
        faults.push(...(await findFaults(page, `${role}: ${path}`)));
      }
      expect(faults).toEqual([]);
    },
    600_000,
  );

  test('in an open dialog, and while a message shows', async () => {
    const { page } = await console.openAdminPage('Keys');
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByRole('dialog').waitFor();
    const faults = await findFaults(page, 'dialog');
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Admins', exact: true }).click();
    for (const button of ['Add an admin', 'Rotate the key of Ben', 'Deactivate Ben']) {
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('dialog').waitFor();
      faults.push(...(await findFaults(page, button)));
      await page.keyboard.press('Escape');
      await page.locator('dialog').waitFor({ state: 'detached' });
    }
    await page.getByRole('link', { name: 'Approvals', exact: true }).click();
    await page.getByText('Resolve the dispute of').click();
    faults.push(...(await findFaults(page, 'an open proposal')));
    await page.getByRole('button', { name: /^Approve/ }).click();
    await page.getByRole('dialog').waitFor();
    faults.push(...(await findFaults(page, 'Approve')));
    await page.keyboard.press('Escape');
    await page.locator('dialog').waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText('is created.').waitFor();
    faults.push(...(await findFaults(page, 'message')));
    expect(faults).toEqual([]);
  });

  test('a message covers no control, and a failure goes when its retry succeeds', async () => {
    const { page } = await console.openAdminPage('Webhooks');
    await page.setViewportSize({ width: 390, height: 600 });
    const refuse = '**/api/admin/webhook-deliveries/*/redeliver';
    await page.route(refuse, (route) => route.fulfill({ status: 503, json: { error: 'Not now' } }));
    const again = page.getByRole('button', { name: /^Send again/ }).first();
    await again.click();
    const message = page.getByRole('alert').getByText('Not now');
    await message.waitFor();
    const covered = await page.evaluate<string[]>(`(() => {
      const bar = document.querySelector('.toasts').getBoundingClientRect();
      return [...document.querySelectorAll('main :is(button, a, input, select, summary)')].filter((control) => {
        control.focus();
        return control.getBoundingClientRect().bottom > bar.top + 1;
      }).map((control) => control.outerHTML.slice(0, 80));
    })()`);
    expect(covered).toEqual([]);
    await page.unroute(refuse);
    await again.click();
    await message.waitFor({ state: 'detached' });
  });
});
