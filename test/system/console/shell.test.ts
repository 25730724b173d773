import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { newLp, type TestLp } from '../../support/actors.ts';
import { describeInBrowser, signIn, type Visitor, visit } from '../../support/browser.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { eventuallyEquals } from '../../support/eventually.ts';

let corridor: TestCorridor;
let base: string;
beforeAll(async () => {
  corridor = await startCorridor({ worker: false });
  base = corridor.config.publicUrl;
});
afterAll(() => corridor.stop());

describe('the console’s files', () => {
  test.each([
    ['/console', 'text/html'],
    ['/console/', 'text/html'],
    ['/console/app.js', 'text/javascript'],
    ['/console/app.css', 'text/css'],
  ])('%s is served compressed and plain, with a strict security policy', async (path, type) => {
    const bodies = await Promise.all(
      ['gzip', 'identity'].map(async (encoding) => {
        const answer = await fetch(base + path, { headers: { 'accept-encoding': encoding } });
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toContain(type);
        expect(answer.headers.get('content-encoding')).toBe(encoding === 'gzip' ? 'gzip' : null);
        expect(answer.headers.get('vary')).toMatch(/accept-encoding/i);
        const policy = answer.headers.get('content-security-policy');
        expect(policy).toContain("script-src 'self';style-src 'self'");
        expect(policy).not.toContain('unsafe');
        return answer.text();
      }),
    );
    expect(bodies[0]).toBe(bodies[1]);
    expect(bodies[0]).not.toBe('');
  });

  test.each(['/console/nothing.js', '/console/../package.json', '/consoles', '/console/app.js/'])(
    '%s is not found',
    async (path) => {
      expect((await fetch(base + path)).status).toBe(404);
    },
  );
});

describeInBrowser('the console in a browser', () => {
  let lp: TestLp;
  let visitor: Visitor | undefined;
  beforeAll(async () => {
    lp = await newLp(corridor);
  });
  afterEach(async () => {
    await visitor?.context.close();
    visitor = undefined;
  });

  test('keeps the session and never the key, also after a reload', async () => {
    visitor = await visit(base);
    const { page, faults, origins } = visitor;
    await signIn(visitor, lp.key);
    await page.getByRole('heading', { name: 'Market' }).waitFor();
    await page.addInitScript(`
      globalThis.intervals = [];
      globalThis.setInterval = new Proxy(setInterval, {
        apply: (set, self, args) => { globalThis.intervals.push(args[1]); return Reflect.apply(set, self, args); },
      });`);
    await page.reload();
    await page.getByRole('region', { name: 'Your standing' }).getByText('live', { exact: true }).waitFor();
    // A session restored by the page load polls no more often than a new one.
    expect(await page.evaluate('globalThis.intervals')).toEqual([1_000, 3_000]);
    expect(page.url()).not.toContain(lp.key);
    expect(await page.evaluate('localStorage.length')).toBe(0);

    expect(await page.evaluate('sessionStorage.length + document.cookie.length')).toBe(0);
    const cookies = await visitor.context.cookies();
    expect(cookies).toMatchObject([
      { name: 'corridor_session', httpOnly: true, sameSite: 'Strict', path: '/' },
    ]);
    expect(JSON.stringify(cookies)).not.toContain(lp.key);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Key').waitFor();
    expect(await visitor.context.cookies()).toEqual([]);
    expect(faults).toEqual([]);
    expect([...origins]).toEqual([base]);
  });

  test.each([
    ['lp_of_nobody', 'This key is not valid: copy the whole key'],
    ['an unknown key', 'A key has neither spaces nor accents: copy it again.'],
    ['rk_live_1', 'This key is not valid'],
  ])('refuses %s, and says why', async (key, message) => {
    visitor = await visit(base);
    await visitor.page.getByLabel('Key').fill(key);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.getByRole('alert').getByText(message).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows an admin the navigation', async () => {
    visitor = await visit(base, { dark: true });
    await signIn(visitor, ADMIN_KEY);
    await visitor.page.getByRole('navigation', { name: 'Console' }).waitFor();
    expect(visitor.faults).toEqual([]);
  });

  test('shows that the service is unreachable, and recovers when it is back', async () => {
    visitor = await visit(base);
    const { page, context } = visitor;
    await context.setOffline(true);
    await page.getByText('Corridor cannot be reached. This page may be out of date.').waitFor();
    await context.setOffline(false);
    await page.getByText('Corridor cannot be reached.').waitFor({ state: 'detached' });
    await signIn(visitor, lp.key);
  });

  test('stays unreachable when a response arrives after the browser has gone offline', async () => {
    visitor = await visit(base);
    const { page, context } = visitor;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    await page.route('**/api/console/sign-in-methods', async (route) => {
      await answered;
      await route.fulfill({ json: { key: true, identity_provider: '/late' } });
    });
    const asked = page.waitForRequest('**/api/console/sign-in-methods');
    await page.reload();
    await asked;
    // Without the answer about the session, the offline page would offer to try again instead of a sign-in.
    await page.getByLabel('Key').waitFor();
    await context.setOffline(true);
    const notice = page.getByText('Corridor cannot be reached. This page may be out of date.');
    await notice.waitFor();
    answer();
    await page.getByText('Sign in with your organisation').waitFor();
    expect(await notice.count()).toBe(1);
  });

  test('scrolls the navigation to the current page on a phone', async () => {
    visitor = await visit(base, { phone: true });
    const { page } = visitor;
    await signIn(visitor, ADMIN_KEY);
    const last = page.getByRole('link', { name: 'Ledger', exact: true });
    await page.evaluate("location.hash = '#/ledger'");
    await page.getByRole('heading', { name: 'Ledger', level: 1 }).waitFor();
    const isVisible = async () => {
      const box = await last.boundingBox();
      return box !== null && box.x + box.width <= 390;
    };
    await eventuallyEquals(isVisible, true);
  });

  test('starts each page at its top for keyboard users', async () => {
    visitor = await visit(base);
    const { page } = visitor;
    await page.getByLabel('Key').focus();
    await page.keyboard.type(lp.key);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement?.tagName')).toBe('MAIN');
  });
});
