import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, newAgent, newLp, pay } from '../../support/actors.ts';
import { ADMIN_KEY, startCorridor, type TestCorridor } from '../../support/corridor.ts';
import { run } from '../../support/processes.ts';
import { claim, newOrder } from '../../support/repeated-steps.ts';

/** Incidents in the terminal. */
let corridor: TestCorridor;
let agent: Agent;
beforeAll(async () => {
  corridor = await startCorridor();
  agent = await newAgent(corridor);
});
afterAll(() => corridor.stop());

const admin = async (...args: string[]) => {
  const { temporalNamespace: TEMPORAL_NAMESPACE } = corridor.config;
  const { databaseUrl: DATABASE_URL, temporalAddress: TEMPORAL_ADDRESS } = corridor.shared;
  const env = {
    ...{ PUBLIC_URL: corridor.config.publicUrl, ADMIN_API_KEY: ADMIN_KEY },
    ...{ DATABASE_URL, TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE },
  };
  const process = run('src/cli/main.ts', args, env);
  return { exit: await process.ended, stdout: process.stdout(), stderr: process.stderr() };
};
const shown = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await admin(...args);
  expect([exit, stderr]).toEqual([0, '']);
  return stdout;
};
const refused = async (...args: string[]): Promise<string> => {
  const { exit, stdout, stderr } = await admin(...args);
  expect([exit, stdout]).toEqual([1, '']);
  return stderr;
};

test('incident open, incidents, overview, why and incident close agree', async () => {
  const [lp, id] = [await newLp(corridor), await newOrder(agent)];
  await expectStatus(200, claim(lp, id));
  expect(await shown('incidents')).toBe('None.\n');
  expect(
    await shown(
      'incident',
      'open',
      '--currency',
      'kes',
      '--method',
      'mobile_money',
      '--reason',
      'it is down',
    ),
  ).toBe(
    'The incident of KES by mobile_money is open: payments and claims are paused, and the clocks stand still.\n',
  );
  await shown('incident', 'open', '--chain', 'eth', '--reason', 'its node is away');
  expect(await pay(agent)).toMatchObject({ status: 503 });
  expect(await shown('incidents')).toMatch(/^KES by mobile_money +20.* admin:root +– +it is down$/m);
  const closing = (at: string) => `update incident set closing_at = ${at} where currency = 'KES'`;
  await corridor.db.query('t-closing', closing('now()'), []);
  expect(await shown('incidents')).toMatch(
    /^KES .* admin:root +closing since 20.*: close it again, or open it again +it is down$/m,
  );
  await corridor.db.query('t-open', closing('null'), []);
  expect(await shown('overview')).toMatch(/^incidents +KES by mobile_money; eth$/m);
  const why = await shown('why', String(id));
  expect(why).toMatch(/; an incident has stopped its clock since 20.* UTC\.$/m);
  expect(await shown('orders', 'timeline', String(id))).toMatch(
    /^It waits for: \w+; an incident has stopped the clock since 20.* UTC: it is down\.$/m,
  );
  expect(why).toMatch(/^ +incident: KES by mobile_money has an incident since .*: it is down$/m);

  expect(await refused('incident', 'close', '--currency', 'kes')).toBe(
    'corridor: There is no incident of KES. Open: KES by mobile_money; eth.\n',
  );
  expect(await refused('incident', 'close')).toMatch(/^corridor: Name the currency or the chain\. Open: /);
  expect(await shown('incident', 'close', '--currency', 'kes', '--method', 'mobile_money')).toBe(
    'The incident of KES by mobile_money is over. Deadlines moved: 1. Still open: eth.\n',
  );
  expect(await shown('incident', 'close', '--chain', 'ETH')).toMatch(
    /Deadlines moved: 0\. Still open: none\.$/m,
  );
  expect(await shown('incidents')).toMatch(/^eth +20.* admin:root +20.* its node is away$/m);
  expect((await pay(agent)).status).toBe(201);
  expect(await shown('why', String(id))).toContain('Incident of KES by mobile_money from ');
});

test.each([
  [['incident', 'open', '--currency', 'KES'], /required option '--reason <text>'/],
  [['incident', 'open', '--reason', 'y'], /currency: name a currency or a chain, and not both \(400/],
  [['incident', 'open', '--currency', 'KSE', '--reason', 'y'], /did you mean KES\?/],
  [
    ['incident', 'open', '--currency', 'KES', '--method', 'mobile_mony', '--reason', 'y'],
    /did you mean mobile_money\?/,
  ],
])('%j is refused in one line', async (args, line) => {
  expect(await refused(...args)).toMatch(line);
});
