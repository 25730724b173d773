import { beforeAll, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, claim, newAgent, newLp, newOrder } from '../../support/actors.ts';
import { describeInBrowser } from '../../support/browser.ts';
import { bulk, dryRun } from '../../support/bulk.ts';
import { rowOf, useConsole } from '../../support/console.ts';

describeInBrowser('bulk runs, in the console', () => {
  const console = useConsole();
  let agent: Agent;
  beforeAll(async () => {
    const lp = await newLp(console.corridor);
    agent = await newAgent(console.corridor);
    const claimed = await newOrder(agent);
    await newOrder(agent);
    await expectStatus(200, claim(lp, claimed));
  });

  test('show their progress and what became of the orders', async () => {
    const run = await bulk(console.corridor.admin, 'cancel', `agent=${agent.keyId}`);
    const { page } = await console.openAdminPage('Bulk runs');
    const row = rowOf(page, run.id);
    await row.getByText('finished').waitFor();
    await row.getByText('2 of 2').waitFor();
    await row.getByRole('link', { name: String(run.id), exact: true }).click();
    await page.getByRole('table', { name: 'What became of the orders' }).getByText('applied').waitFor();
    await page
      .getByRole('table', { name: 'The first orders that did not change' })
      .getByText('wrong state')
      .waitFor();
    await page.getByRole('progressbar', { name: `Progress of bulk run ${run.id}` }).waitFor();
  });

  test('are stopped before they start', async () => {
    const run = await dryRun(console.corridor.admin, 'freeze', `agent=${agent.keyId}`);
    const { page } = await console.openAdminPage('Bulk runs');
    await rowOf(page, run.id).getByText('prepared').waitFor();
    await page.getByRole('link', { name: String(run.id), exact: true }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('stopped', { exact: true }).waitFor();
  });
});
