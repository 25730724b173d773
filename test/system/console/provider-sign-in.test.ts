import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../src/process/free-port.ts';
import { describeInBrowser, type Visitor, visit } from '../../support/browser.ts';
import { startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { startIdentityProvider, type TestIdentityProvider } from '../../support/identity-provider.ts';

describeInBrowser('an admin of an identity provider', () => {
  let provider: TestIdentityProvider;
  let corridor: TestCorridor;
  beforeAll(async () => {
    const port = await freePort();
    provider = await startIdentityProvider(`http://127.0.0.1:${port}/auth/oidc/callback`);
    corridor = await startCorridor({ worker: false, env: { PORT: String(port), ...provider.env } });
    provider.people.set('ada', { name: 'Ada Lead', groups: ['leads'] });
    provider.people.set('gus', { name: 'Gus Guest', groups: ['guests'] });
  });
  afterAll(async () => {
    await corridor?.stop();
    await provider?.close();
  });

  const signInAtProvider = async ({ page }: Visitor, login: string) => {
    await page.getByRole('link', { name: 'Sign in with your organisation' }).click();
    await page.getByLabel('Name').fill(login);
    await page.getByRole('button', { name: 'Go on' }).click();
  };

  test('signs in there, works in the console, and signs out', async () => {
    const visitor = await visit(corridor.config.publicUrl);
    const { page, context, faults } = visitor;
    await signInAtProvider(visitor, 'ada');
    await page.getByRole('button', { name: 'Your session: Ada Lead' }).waitFor();
    await page.getByRole('link', { name: 'Users', exact: true }).click();
    await page.getByLabel('Name').fill('A payer');
    await page.getByRole('button', { name: 'Create user' }).click();
    await page.getByText(/^User \d+ is created\.$/).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('Key').waitFor();
    const cookies = (await context.cookies()).map(({ name }) => name);
    expect(cookies.filter((name) => name.startsWith('corridor'))).toEqual([]);
    expect(faults).toEqual([]);
    await context.close();
  });

  test('without a group that has a role reads why, and what to do', async () => {
    const visitor = await visit(corridor.config.publicUrl);
    const { page, context } = visitor;
    await signInAtProvider(visitor, 'gus');
    await page.getByRole('heading', { name: 'You are not signed in' }).waitFor();
    await page.getByText('Gus Guest, none of your groups has a role in Corridor.').waitFor();
    await page.getByRole('link', { name: 'use a key' }).click();
    await page.getByLabel('Key').waitFor();
    await context.close();
  });
});
