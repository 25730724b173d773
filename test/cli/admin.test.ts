import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { adminCli } from '../support/admin-cli.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** The admin CLI, against a running API: keys, users, LPs, orders, exports and the audit. */
const corridor = await useCorridor();
const { admin, shown, json, refused } = adminCli(corridor);
const agent = await corridor.newAgent();
const lp = await corridor.newLp();
const orderId = await agent.newOrder();
await expectStatus(200, lp.claim(orderId));

/** The API's status for a call with an agent's secret. */
const tried = async (key: string) => (await corridor.as(key)('GET', '/api/v1/status/999999')).status;
const KEY = /rk_live_[0-9a-f]{48}/;

test('Keys are created, limited, rotated and revoked, and each secret is shown once', async () => {
  const created = await shown('keys create --name till --integrator "Shop Ltd"');
  expect(created).toMatch(
    /^id +\d+\napi_key +rk_live_[0-9a-f]{48}\nwebhook_secret +whsec_\S+\n\nStore this key and this secret now/,
  );
  const id = Number(/^id +(\d+)/.exec(created)?.[1]);
  const secret = KEY.exec(created)?.[0] ?? '';
  expect(await tried(secret)).toBe(404);
  const webhookSecret = await shown(`keys rotate-webhook-secret ${id} --overlap 0s`);
  expect(webhookSecret).toMatch(
    /\nwebhook_secret +whsec_\S+\nold secret ends +\S+ \S+ UTC\n\nStore this key now/,
  );

  const limited = await json(`keys set ${id} --rate-limit 600 --max-exposure-usd 5000.5 --name "the till"`);
  expect(limited).toMatchObject({ id, name: 'the till', rate_limit: 600, max_exposure_usd: 5000.5 });
  expect(await json(`keys set ${id} --rate-limit none`)).toEqual({ ...limited, rate_limit: null });

  const narrow = await json(
    `keys set ${id} --scopes pay read --expires 2998-01-31 --allowed-ips 10.0.0.0/8 192.0.2.0/24`,
  );
  expect(narrow).toMatchObject({
    scopes: ['pay', 'read'],
    expires_at: '2998-01-31T00:00:00.000Z',
    allowed_ips: ['10.0.0.0/8', '192.0.2.0/24'],
  });
  expect(await shown('keys list')).toMatch(/ pay read +2998-01-31 00:00 +10\.0\.0\.0\/8 192\.0\.2\.0\/24 /);
  expect(await tried(secret)).toBe(403);
  expect(await json(`keys set ${id} --scopes none --expires none --allowed-ips none`)).toMatchObject({
    scopes: null,
    expires_at: null,
    allowed_ips: null,
  });

  const rotated = await shown(`keys rotate ${id} --overlap 1h`);
  const renewed = KEY.exec(rotated)?.[0] ?? '';
  expect(rotated).toMatch(/old secret ends +\d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  expect([await tried(secret), await tried(renewed)]).toEqual([404, 404]);
  const again = await json(`keys rotate ${id} --overlap 3600`);
  const secrets = [secret, renewed, again.api_key];
  expect(await Promise.all(secrets.map(tried))).toEqual([404, 404, 404]);
  const leaked = await json(`keys rotate ${id} --overlap 0s`);
  expect(await Promise.all([...secrets, leaked.api_key].map(tried))).toEqual([403, 403, 403, 404]);

  expect(await shown(`keys revoke ${id}`)).toBe(`Agent key ${id} is revoked.\n`);
  expect(await tried(leaked.api_key)).toBe(403);

  const list = await shown('keys list');
  expect(list).toMatch(new RegExp(`^ *${id} +the till +Shop Ltd +no +– +5000.5 `, 'm'));
  expect(list).not.toMatch(KEY);
});

test('Keys are created with scopes, an expiry and allowed addresses', async () => {
  const limits = '--scopes read --expires 2998-01-31 --allowed-ips none';
  const { id } = await json(`keys create --name narrow ${limits}`);
  const listed = (await json('keys list')).find((key: { id: number }) => key.id === id);
  expect(listed).toMatchObject({
    scopes: ['read'],
    expires_at: '2998-01-31T00:00:00.000Z',
    allowed_ips: null,
  });
  expect(await refused('keys create --name x --scopes pays')).toMatch(/scopes: must be one of pay, read/);
});

test('Keys are aligned with their headings in the table', async () => {
  const lines = (await shown('keys list')).trimEnd().split('\n');
  const column = lines[0]?.indexOf('active') ?? -1;
  for (const line of lines.slice(1)) expect(line.slice(column)).toMatch(/^(yes|no)\b/);
});

test('Users are created, and listed page by page', async () => {
  const made = /^User (\d+) is created\.$/m.exec(await shown('users create --name "A. Customer"'))?.[1];
  await shown('users create');
  const page = await shown('users list --limit 2');
  expect(page).toMatch(new RegExp(`^ *${made}  A. Customer  \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`, 'm'));
  expect(page).toContain(`More: repeat with --cursor ${made}`);
  const { users } = await json(`users list --cursor ${made}`);
  expect(users[0].id).toBeLessThan(Number(made));
});

test('LPs are listed, suspended, approved, and moved between tiers', async () => {
  const list = await shown('lps list --status approved');
  expect(list).toMatch(
    new RegExp(`^ *${lp.id}  LP \\d+ +approved +0 +0 +0 +– +– +0 +0 +– +990\\.?\\d* +10 +129.5 KES`, 'm'),
  );
  const terms = { currency: 'KES', method: 'till', rate_usd: 130, min: 100, max: 5_000, float: 20_000.5 };
  await expectStatus(200, lp.call('POST', `/api/lp/${lp.key}/terms`, terms));
  const shownTerms = await shown(`lps terms ${lp.id}`);
  expect(shownTerms).toMatch(/^KES mobile_money +129.5 +– .* holds +0 +– +– +0 +– /m);
  expect(shownTerms).toMatch(/^KES till +130 +– .* holds +100 +5000 +20000.5 +0 +– /m);
  await expectStatus(
    200,
    lp.call('POST', `/api/lp/${lp.key}/terms`, { currency: 'KES', method: 'till', quoting: false }),
  );
  expect(await shown('lps list')).toContain('129.5 KES mobile_money, 130 KES till (stopped)');
  expect(await shown(`lps suspend ${lp.id}`)).toContain('suspended');
  expect((await agent.pay()).status).toBe(404);
  expect(await shown('lps list --status approved')).toBe('None.\n');
  expect(await json(`lps approve ${lp.id}`)).toMatchObject({ id: lp.id, status: 'approved' });
  expect(await json(`lps tier ${lp.id} 2`)).toMatchObject({ id: lp.id, tier: 2 });
  const second = { symbol: 'usdc', chain: 'trx', address: `${lp.address}2` };
  await expectStatus(201, lp.call('POST', `/api/lp/${lp.key}/assets`, second));
  expect(await shown(`lps address trx ${second.address}`)).toMatch(/ approved +yes +usdc /);
  expect(await shown(`lps release-address ${lp.id} trx ${second.address} --reason "not its own"`)).toMatch(
    /^LP \d+ takes no usdc there now\. Another LP can register the address from \d{4}-.* UTC on\.\n$/,
  );
  expect(await refused(`lps release-address ${lp.id} trx nowhere --reason "not its own"`)).toContain(
    `LP ${lp.id} does not have this address`,
  );
});

test('An LP is forgiven its strikes, with a reason', async () => {
  const sql = 'insert into lp_strike (order_id, seq, lp_id) values ($1, 3, $2)';
  await corridor.db.query('strike', sql, [orderId, lp.id]);
  expect((await json('lps list')).lps).toMatchObject([{ id: lp.id, strikes: 1 }]);
  expect(await refused(`lps forgive ${lp.id}`)).toMatch(/required option '--reason <text>' not specified/);
  const forgiven = await json(`lps forgive ${lp.id} --reason "its bank was closed"`);
  expect(forgiven).toMatchObject({ id: lp.id, strikes: 0, cooling_down_until: null });
  const reasons = 'select lp_id, reason from lp_forgiveness';
  expect(await corridor.db.query('reasons', reasons, [])).toEqual([
    { lp_id: lp.id, reason: 'its bank was closed' },
  ]);
});

test('Orders are listed with the party that they wait for, and never with the recipient', async () => {
  const list = await shown('orders list');
  expect(list).toMatch(new RegExp(`^ *${orderId}  claimed +1295  KES +10 +${agent.keyId} `, 'm'));
  expect(list).not.toContain('254700123456');
  const { orders } = await json(`orders list --status claimed --agent-key ${agent.keyId} --from 2020-01-01`);
  expect(orders).toMatchObject([{ id: orderId, lp_id: lp.id, version: 2 }]);
  expect(await shown('orders list --status disputed')).toBe('None.\n');
  expect(await json('orders list --to 2020-01-01')).toEqual({ orders: [], next_cursor: null });
});

test.each([
  [
    'keys revoke 999999',
    'There is no agent key 999999: GET /api/admin/agent-keys lists them (404 to DELETE /api/admin/agent-keys/999999)',
  ],
  [
    'lps approve 999999',
    'There is no LP 999999: GET /api/admin/lps lists them (404 to POST /api/admin/lps/999999/approve)',
  ],
  ['lps list --status asleep', /^status: must be one of pending, approved, suspended \(400 to GET /],
  ['keys rotate 1 --overlap soon', /^overlap: must be a duration such as 24h/],
  ['lps tier 1 9', /^tier: must be at most 4 /],
  ['lps terms 999999', 'There is no LP 999999.'],
  ['keys set 1', 'Nothing to set: see "keys set --help".'],
])('"%s" fails with one line of the program', async (command, text) => {
  const [, line] = /^corridor: (.*)$/.exec(await refused(command)) ?? [];
  expect(line).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
});

test.each([
  ['keys revoke all', /'all' is invalid/],
  ['keys set 1 --rate-limit much', /Write a number/],
  ['keys create', /--name/],
  ['keys burn 1', /unknown command 'burn'/],
])('"%s" fails with one line about its words', async (command, text) => {
  expect(await refused(command)).toMatch(text);
});

test.each([
  ['--help', ['keys', 'users', 'lps', 'orders', '--json', 'Examples']],
  ['keys --help', ['list', 'create', 'revoke', 'rotate', 'set', '--url']],
  ['keys rotate --help', ['--overlap', '24h', '--key']],
  ['orders list --help', ['--status', '--from', '--cursor', '--json']],
])('"%s" lists the commands or options', async (command, words) => {
  const help = await shown(command);
  for (const word of words) expect(help).toContain(word);
});

test('"find" looks for an id, a hash or a name', async () => {
  expect(await shown(`find "#${orderId}"`)).toMatch(new RegExp(`^order +${orderId} +id +– +claimed$`, 'm'));
  expect((await json('find test')).results).toContainEqual(
    expect.objectContaining({ kind: 'agent_key', name: 'test' }),
  );
  expect(await shown('find nobody-has-this-name')).toContain('Nothing has the id "nobody-has-this-name"');
});

test('"export" writes a file as it arrives, and refuses a bad range', async () => {
  const range = `--from 2020-01-01 --to 2020-02-01`;
  expect(await shown(`export ledger ${range}`)).toMatch(/^transfer_id,at,key,[\w,]+\r\n$/);
  expect(await shown(`export statement --lp ${lp.id} ${range}`)).toContain('opening');
  expect(await refused('export orders --from 2020-02-01 --to 2020-01-01')).toContain(
    'to: must be after from',
  );
  expect(await refused(`export statement ${range}`)).toContain('export statement needs --lp');
  expect(await refused(`export ledger --lp 1 ${range}`)).toContain('export ledger takes no --lp');
  const folder = await mkdtemp(join(tmpdir(), 'corridor-export-'));
  const out = join(folder, 'orders.csv');
  const { from, to } = { from: new Date(Date.now() - 86_400_000), to: new Date(Date.now() + 86_400_000) };
  const command = `export orders --from ${from.toISOString()} --to ${to.toISOString()} --out ${out}`;
  expect(await shown(command)).toBe('');
  expect(await readFile(out, 'utf8')).toContain(`\r\n${orderId},pay_`);
  // It overwrites nothing.
  expect(await refused(command)).toContain(out);
  await rm(folder, { recursive: true });
});

test('"forget" removes the personal data of a user, and says what remains', async () => {
  const forget = `forget --user ${agent.userId}`;
  // There is no terminal to ask on.
  expect(await refused(forget)).toContain('add --yes');
  expect(await admin(forget, undefined, 'no')).toEqual({
    ...{ exit: 1, stdout: '', stderr: 'corridor: Nothing was changed.\n' },
  });
  expect(await admin(forget, undefined, ' YES ')).toMatchObject({ exit: 0, stderr: '' });
  const { live } = await json(`forget --yes --user ${agent.userId}`);
  expect(live).toBeGreaterThan(0);
  expect(await shown(`forget --yes --user ${agent.userId}`)).toBe(
    `The personal data of 0 ended orders of user ${agent.userId} is removed.\n${live} live orders keep their recipients: repeat the command when they have ended.\n`,
  );
  expect(await refused('forget --yes --user 999999')).toContain('404');
});

test('A single order is frozen, extended, disputed and resolved, and its timeline shows the reasons', async () => {
  const id = await agent.newOrder();
  expect(await json(`orders freeze ${id} --reason "a question"`)).toMatchObject({ id, frozen: true });
  expect(await shown(`orders freeze ${id} --reason "a question"`)).not.toContain('was frozen before');
  expect(await shown(`orders freeze ${id} --reason "the police asked"`)).toMatch(
    /^The order was frozen before, and keeps its reason: a question\n/,
  );
  expect(await refused(`orders extend ${id} --until 2036-01-01 --reason "a holiday"`)).toContain('frozen');
  expect(await shown(`orders unfreeze ${id} --reason answered`)).toContain('matched');
  expect(await json(`orders extend ${id} --until 2036-01-01 --reason "a holiday"`)).toMatchObject({
    timeout_at: '2036-01-01T00:00:00.000Z',
  });
  expect(await refused(`orders extend ${id} --until tomorrow --reason "a holiday"`)).toContain(
    'Write a time',
  );
  await lp.claim(id);
  expect(await refused(`orders cancel ${id} --reason late`)).toContain('claimed');
  expect(await refused(`orders retry-verification ${id} --reason late`)).toContain('claimed');
  expect(await refused(`orders retry-verification ${id} --tx-hash a.b --reason late`)).toMatch(/tx_hash: /);
  expect(await refused(`orders freeze ${id}`)).toContain('--reason');
  await agent.dispute(id);

  const resolve = `orders resolve ${id} --as cancelled --slash-usd 2.5 --reason "never sent"`;
  const dry = await shown(`${resolve} --dry-run`);
  expect(dry).toContain(`Order ${id} would be cancelled; nothing was changed.`);
  expect(dry).toMatch(/slash +lp:\d+:locked +platform:slashed +2\.5/);
  expect(await refused(`orders resolve ${id} --as matched --reason x`)).toContain('outcome');
  expect(await shown(`orders timeline ${id}`)).toContain('It waits for: admin; no clock runs.');
  expect(await shown(resolve)).toContain(`Order ${id} is cancelled.`);
  const timeline = await shown(`orders timeline ${id}`);
  for (const word of ['a question', 'a holiday', 'Nothing has arrived', 'never sent', 'The order has ended.'])
    expect(timeline).toContain(word);
});

test('The audit is exported whole, one event per line, and shows what one request changed', async () => {
  const requestId = 'suspend-by-night';
  const applicant = await corridor.newLp();
  const path = `/api/admin/lps/${applicant.id}`;
  const headers = { 'x-request-id': requestId };
  await expectStatus(200, corridor.admin('POST', `${path}/suspend`, { reason: 'It is silent' }, headers));
  // More events than one page.
  for (let n = 0; n < 102; n++)
    await expectStatus(200, corridor.admin('POST', `${path}/tier`, { tier: n % 2 }));
  const lines = (await shown(`audit export --object lp:${applicant.id}`)).trim().split('\n');
  const events = lines.map((line) => JSON.parse(line));
  expect(events.filter(({ action }) => action === 'POST /api/admin/lps/:id/tier').length).toBeGreaterThan(
    100,
  );
  const ids = events.map(({ id }) => id);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));

  expect(await shown(`request ${requestId}`)).toMatch(
    new RegExp(
      `admin:root .*POST /api/admin/lps/:id/suspend +lp:${applicant.id} +done .*suspended.* It is silent`,
    ),
  );
  expect(await shown('request never-made')).toMatch(/^No change is recorded for the request never-made\. /);
});
