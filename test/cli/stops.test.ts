import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { adminCli } from '../support/admin-cli.ts';
import { eventually } from '../support/eventually.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** Pauses, incidents and revocations in the terminal. */
const corridor = await useCorridor();
const { shown, refused } = adminCli(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp();

test('"incident open", "incidents", "overview", "why" and "incident close" agree', async () => {
  const id = await agent.newOrder();
  await expectStatus(200, lp.claim(id));
  expect(await shown('incidents')).toBe('None.\n');
  expect(await shown('incident open --currency kes --method mobile_money --reason "it is down"')).toBe(
    'The incident of KES by mobile_money is open: payments and claims are paused, and the clocks stand still.\n',
  );
  await shown('incident open --chain eth --reason "its node is away"');
  expect(await agent.pay()).toMatchObject({ status: 503 });
  expect(await shown('incidents')).toMatch(/^KES by mobile_money +20.* admin:root +– +it is down$/m);
  const closing = (at: string) => `update incident set closing_at = ${at} where currency = 'KES'`;
  await corridor.db.query('t-closing', closing('now()'), []);
  expect(await shown('incidents')).toMatch(
    /^KES .* admin:root +closing since 20.*: close it again, or open it again +it is down$/m,
  );
  await corridor.db.query('t-open', closing('null'), []);
  expect(await shown('overview')).toMatch(/^incidents +KES by mobile_money; eth$/m);
  const why = await shown(`why ${id}`);
  expect(why).toMatch(/; an incident has stopped its clock since 20.* UTC\.$/m);
  expect(await shown(`orders timeline ${id}`)).toMatch(
    /^It waits for: \w+; an incident has stopped the clock since 20.* UTC: it is down\.$/m,
  );
  expect(why).toMatch(/^ +incident: KES by mobile_money has an incident since .*: it is down$/m);

  expect(await refused('incident close --currency kes')).toBe(
    'corridor: There is no incident of KES. Open: KES by mobile_money; eth.',
  );
  expect(await refused('incident close')).toMatch(/^corridor: Name the currency or the chain\. Open: /);
  expect(await shown('incident close --currency kes --method mobile_money')).toBe(
    'The incident of KES by mobile_money is over. Deadlines moved: 1. Still open: eth.\n',
  );
  expect(await shown('incident close --chain ETH')).toMatch(/Deadlines moved: 0\. Still open: none\.$/m);
  expect(await shown('incidents')).toMatch(/^eth +20.* admin:root +20.* its node is away$/m);
  expect((await agent.pay()).status).toBe(201);
  expect(await shown(`why ${id}`)).toContain('Incident of KES by mobile_money from ');
});

test('"pause", "pauses", "overview" and "resume" agree', async () => {
  expect(await shown('pauses')).toBe('None.\n');
  expect(await shown('pause --currency kes --reason "the network is down"')).toBe(
    'New payments and claims are paused: KES.\n',
  );
  expect(await shown('pause --currency KES --reason "the network is slow"')).toBe(
    'New payments and claims were paused already: KES. The reason is now “the network is slow” instead of “the network is down”.\n',
  );
  await shown(`pause --agent ${agent.keyId} --reason "it was broken into"`);
  expect(await agent.pay()).toMatchObject({ status: 503 });
  expect(await shown('pauses')).toMatch(
    /^KES +20.* the network is slow\nagent key \d+ +20.* it was broken into$/m,
  );
  expect(await shown('overview')).toMatch(/^paused +KES; agent key \d+$/m);

  expect(await refused('resume')).toMatch(
    /^corridor: There is no pause of everything\. In force: KES; agent key/,
  );
  expect(await shown(`resume --agent ${agent.keyId}`)).toMatch(/ Still in force: KES\.$/m);
  expect(await shown('resume --currency kes')).toBe('The pause of KES is over. Still in force: none.\n');
  expect(await refused('resume --currency KES')).toBe('corridor: There is no pause of KES. In force: none.');
  expect((await agent.pay()).status).toBe(201);
});

test('"why" names the pauses that block an order, until it is claimed', async () => {
  const id = await agent.newOrder();
  const why = () => shown(`why ${id}`);
  await shown('pause --currency NGN --reason "another currency"');
  expect(await why()).not.toContain('pause');
  await shown('pause --reason "we look into a report"');
  expect(await why()).toContain('pause: new payments and claims are paused: we look into a report');
  await shown('resume');
  await expectStatus(200, lp.claim(id));
  await shown('pause --reason again');
  expect(await why()).not.toContain('pause');
  await shown('resume');
  await shown('resume --currency NGN');
});

test.each([
  ['pause', /required option '--reason <text>'/],
  ['pause --agent x --reason y', /'x' is invalid/],
  [
    'pause --agent 999999 --reason y',
    /agent_key_id: is not an agent key: there is none with the id 999999 \(400/,
  ],
  ['incident open --currency KES', /required option '--reason <text>'/],
  ['incident open --reason y', /currency: name a currency or a chain, and not both \(400/],
  ['incident open --currency KSE --reason y', /did you mean KES\?/],
  ['incident open --currency KES --method mobile_mony --reason y', /did you mean mobile_money\?/],
])('"%s" is refused in one line', async (command, line) => {
  expect(await refused(command)).toMatch(line);
});

test('Orders of a revoked key that an admin must decide are listed', async () => {
  const [paidOut, open] = [await agent.newOrder(), await agent.newOrder()];
  await expectStatus(200, lp.claim(paidOut));
  await expectStatus(200, lp.fiatSent(paidOut));
  expect(await agent.statusOf(open)).toBe('matched');
  await shown(`keys revoke ${agent.keyId}`);
  const list = await eventually(async () => {
    const text = await shown('orders list --revoked-agent');
    // A claimed order ends with its grace.
    return !/matched|claimed/.test(text) && text;
  });
  expect(list).toMatch(new RegExp(`^ *${paidOut} +fiat_sent`, 'm'));
  expect(await shown('overview')).toMatch(/^orders of revoked agents +1$/m);
});
