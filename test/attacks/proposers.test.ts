import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { adminCli } from '../support/admin-cli.ts';
import { codeOf, decide, feesFor, postAdjustment, proposed } from '../support/proposals.ts';
import { useCorridor } from '../support/use-corridor.ts';

interface Person {
  id: number;
  key: string;
  call: Call;
}
const person = async (name: string, role: string): Promise<Person> => {
  const { id, api_key } = await expectStatus(
    201,
    corridor.admin('POST', '/api/admin/admins', { name, role }),
  );
  return { id, key: api_key, call: corridor.as(api_key) };
};

/** What a proposal depends on after it was made: its proposer, and what became of its first attempt. */
const corridor = await useCorridor({ env: { APPROVALS: 'on' } });
const bob = (await person('Bob', 'treasurer')).call;
const cleo = (await person('Cleo', 'owner')).call;
const viewer = (await person('Vera', 'viewer')).call;

const fees = () => feesFor(bob);
const proposalOf = async (id: number) =>
  (await expectStatus(200, bob('GET', '/api/admin/approvals?limit=100'))).approvals.find(
    (one: { id: number }) => one.id === id,
  );

const ENDS: [string, (id: number) => Promise<unknown>][] = [
  ['is deactivated', (id) => expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${id}`))],
  [
    'has a role without the permission',
    (id) => expectStatus(200, corridor.admin('POST', `/api/admin/admins/${id}`, { role: 'viewer' })),
  ],
  [
    'has expired',
    (id) =>
      corridor.db.query('t-expire', `update admin set expires_at = now() - interval '1 ms' where id = $1`, [
        id,
      ]),
  ],
];

test('a proposal shows no key that its request ignores', async () => {
  const words = { 'valid until': '2026-08-01', 'allowed addresses': '192.0.2.0/24' };
  const body = { name: 'Temp auditor', role: 'owner', ...words };
  const { approval } = await expectStatus(202, cleo('POST', '/api/admin/admins?role=viewer', body));
  expect(approval).toMatchObject({ body: { name: 'Temp auditor', role: 'owner' }, query: {} });
  expect(Object.keys(approval.body).sort()).toEqual(['name', 'role']);
});

describe('a proposal whose proposer', () => {
  test.each(ENDS)('%s is approved by nobody, and changes nothing', async (what, end) => {
    const before = await fees();
    const ann = await person(`Ann, who ${what}`, 'treasurer');
    const id = await proposed(postAdjustment(ann.call, 2));
    const proposal = await proposalOf(id);
    await end(ann.id);
    for (const call of [bob, cleo, corridor.admin]) {
      const answer = await decide(call, id);
      expect(codeOf(answer)).toEqual([409, 'approval_decided']);
      expect(answer.body.error).toContain('its proposer may no longer make this request. Propose it again');
    }
    expect(await fees()).toBe(before);
    expect(await proposalOf(id)).toEqual(proposal);
    await expectStatus(200, decide(bob, id, 'reject'));
  });

  test('is deactivated at the same time is carried out as often as it was approved', async () => {
    const before = await fees();
    const ann = await person('Ann, who leaves', 'treasurer');
    const ids = await Promise.all(Array.from({ length: 6 }, () => proposed(postAdjustment(ann.call, 1))));
    const [answers] = await Promise.all([
      Promise.all(ids.map((id) => decide(bob, id))),
      expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${ann.id}`)),
    ]);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await fees()).toBe(before + answers.filter(({ status }) => status === 200).length);
    for (const [i, id] of ids.entries())
      if (answers[i]?.status === 409)
        expect(codeOf(await decide(bob, id))).toEqual([409, 'approval_decided']);
  });

  test('has lost the permission is still withdrawn by the proposer, and by no other such admin', async () => {
    const ann = await person('Ann, a viewer now', 'treasurer');
    const id = await proposed(postAdjustment(ann.call, 2));
    await expectStatus(200, corridor.admin('POST', `/api/admin/admins/${ann.id}`, { role: 'viewer' }));
    expect(codeOf(await decide(viewer, id, 'reject'))).toEqual([403, 'permission_missing']);
    const { approval } = await expectStatus(200, decide(ann.call, id, 'reject'));
    expect(approval).toMatchObject({ status: 'rejected', decided_by: `admin:${ann.id}` });
  });
});

test.each([
  ['a key', false],
  ['the identity provider', true],
])('a proposal made with %s is not approved by its proposer’s other admin', async (_, byProvider) => {
  const signsInAs = (id: number, subject: string, name: string) =>
    corridor.db.query(
      't-provider',
      `update admin set name = $3, oidc_issuer = 'https://login.example', oidc_subject = $2 where id = $1`,
      [id, subject, name],
    );
  const suffix = byProvider ? 'by provider' : 'by key';
  const [key, other] = [await person(`Ida ${suffix}`, 'treasurer'), await person(`x ${suffix}`, 'treasurer')];
  await signsInAs(other.id, `ida ${suffix}`, `IDA ${suffix}`);
  const [proposer, decider] = byProvider ? [other, key] : [key, other];
  const before = await fees();
  const id = await proposed(postAdjustment(proposer.call, 1));
  expect(codeOf(await decide(decider.call, id))).toEqual([403, 'own_proposal']);
  expect(await fees()).toBe(before);
  // Two persons of one name at the provider are two persons.
  await signsInAs(key.id, `another ida ${suffix}`, `ida ${suffix}`);
  await expectStatus(200, decide(decider.call, id));
  expect(await fees()).toBe(before + 1);
});

describe('a proposal that was approved and not carried out', () => {
  const payout = (call: Call) =>
    call(
      'POST',
      '/api/admin/ledger/payouts',
      { amount: 1_000_000, reason: 'Too much' },
      { 'idempotency-key': randomUUID() },
    );
  const open = async () =>
    (await expectStatus(200, bob('GET', '/api/admin/overview'))).waiting_for_admin.proposals;

  test('waits, and is rejected by another admin or withdrawn by its proposer', async () => {
    const ann = await person('Ann, who pays', 'treasurer');
    const before = await open();
    const ids = [await proposed(payout(ann.call)), await proposed(payout(ann.call))] as const;
    for (const id of ids) expect(codeOf(await decide(bob, id))).toEqual([409, 'insufficient_balance']);
    expect(await open()).toBe(before + 2);
    expect(codeOf(await decide(viewer, ids[0], 'reject'))).toEqual([403, 'permission_missing']);
    const rejected = await expectStatus(200, decide(cleo, ids[0], 'reject'));
    expect(rejected.approval).toMatchObject({ status: 'rejected', carried_out_at: null });
    await expectStatus(200, decide(ann.call, ids[1], 'reject'));
    for (const id of ids) expect(codeOf(await decide(bob, id))).toEqual([409, 'approval_decided']);
    expect(await open()).toBe(before);
  });

  test('is not rejected if its posting is in the ledger, because a process died after it', async () => {
    const ann = await person('Ann, whose process dies', 'treasurer');
    const id = await proposed(postAdjustment(ann.call, 1));
    const before = await fees();
    await expectStatus(200, decide(bob, id));
    await corridor.db.query('t-died', 'update approval set carried_out_at = null where id = $1', [id]);
    for (const call of [ann.call, cleo])
      expect(codeOf(await decide(call, id, 'reject'))).toEqual([409, 'approval_decided']);
    const { result } = await expectStatus(200, decide(bob, id));
    expect(result).toMatchObject({ idempotent_replay: true });
    expect(await fees()).toBe(before + 1);
  });

  test('is not rejected while an attempt is under way', async () => {
    const ann = await person('Ann, who waits', 'treasurer');
    const id = await proposed(payout(ann.call));
    await decide(bob, id);
    const until = (time: string) =>
      corridor.db.query(
        't-attempt',
        `update approval set attempt_until = now() + $2::interval where id = $1`,
        [id, time],
      );
    const before = await open();
    await until('1 minute');
    expect(await open()).toBe(before - 1);
    expect(codeOf(await decide(ann.call, id, 'reject'))).toEqual([409, 'approval_decided']);
    await until('-1 ms');
    await expectStatus(200, decide(ann.call, id, 'reject'));
  });
});

describe('the key of a posting', () => {
  test('is required when it is proposed', async () => {
    const answer = await postAdjustment(bob, 1, {});
    expect(answer.status).toBe(400);
    expect(answer.body.error.fieldErrors).toEqual({ 'Idempotency-Key': ['is required'] });
  });

  test('is the one of its proposer, whatever the approver sends', async () => {
    const ann = await person('Ann, who posts', 'treasurer');
    const id = await proposed(postAdjustment(ann.call, 1));
    // A proposal of an earlier release may have none. That is no response which the contract names.
    await corridor.db.query('t-keyless', 'update approval set idempotency_key = null where id = $1', [id]);
    const { key } = await person('Finn', 'treasurer');
    const before = await fees();
    const url = `${corridor.config.publicUrl}/api/admin/approvals/${id}/approve`;
    const headers = { authorization: `Bearer ${key}`, idempotency_key: 'of-the-approver' };
    expect((await fetch(url, { method: 'POST', headers })).status).toBe(400);
    expect(await fees()).toBe(before);
  });
});

test('A script cannot take a proposed command for a done one: the exit code is 3, and with --json it gets the proposal', async () => {
  const { admin } = adminCli(corridor);
  const adjust = 'ledger adjust 2 --from outside --to platform:fees --reason "Found money"';
  const before = await fees();
  const said = await admin(adjust);
  expect(said.exit).toBe(3);
  const { exit, stdout } = await admin(`${adjust} --json --idempotency-key another`);
  expect(exit).toBe(3);
  const { approval } = JSON.parse(stdout);
  expect(approval).toMatchObject({ status: 'proposed', proposed_by: 'admin:root' });
  expect(said.stdout).toContain(`"npm run admin -- approvals approve ${approval.id - 1}"`);
  expect(await fees()).toBe(before);
});
