import { describe, expect, test } from '@jest/globals';
import { type Call, expectStatus } from '../../dev/http-client.ts';
import { adminDoes, deposit } from '../support/actors.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { codeOf, decide, feesFor, postAdjustment, proposed } from '../support/proposals.ts';
import { useCorridor } from '../support/use-corridor.ts';

const person = async (name: string, role: string): Promise<Call> =>
  corridor.as((await expectStatus(201, corridor.admin('POST', '/api/admin/admins', { name, role }))).api_key);

const corridor = await useCorridor({ env: { APPROVALS: 'on' } });
const ann = await person('Ann', 'treasurer');
const bob = await person('Bob', 'treasurer');
const cleo = await person('Cleo', 'owner');
const viewer = await person('Vera', 'viewer');
const lp = await corridor.newLp();

const fees = () => feesFor(ann);

describe('what needs two persons', () => {
  test('is kept, changes nothing, and is carried out when another person approves it', async () => {
    const before = await fees();
    const id = await proposed(postAdjustment(ann, 2));
    expect(await fees()).toBe(before);
    const done = await expectStatus(200, decide(bob, id));
    expect(done).toMatchObject({
      approval: { id, status: 'approved', proposed_by: 'admin:1', decided_by: 'admin:2' },
      result: { amount: 2, kind: 'adjustment' },
    });
    expect(await fees()).toBe(before + 2);
  });

  test('is never approved by its proposer, in no way', async () => {
    const before = await fees();
    const id = await proposed(postAdjustment(ann, 3));
    expect(codeOf(await decide(ann, id))).toEqual([403, 'own_proposal']);
    // Nor by a proposer who has another key meanwhile: it is the same person.
    const { admins } = await expectStatus(200, corridor.admin('GET', '/api/admin/admins'));
    const { id: annId } = admins.find((one: { name: string }) => one.name === 'Ann');
    const { api_key } = await expectStatus(
      201,
      corridor.admin('POST', `/api/admin/admins/${annId}/rotate`, { overlap: '1h' }),
    );
    expect(codeOf(await decide(corridor.as(api_key), id))).toEqual([403, 'own_proposal']);
    expect(await fees()).toBe(before);
    await expect(
      corridor.db.query(
        'forged',
        `update approval set status = 'approved', decided_by = proposed_by where id = $1`,
        [id],
      ),
    ).rejects.toMatchObject({ constraint: 'approval_two_persons' });
    await expectStatus(200, decide(ann, id, 'reject'));
  });

  test('is approved by nobody whose role lacks the permission of the request', async () => {
    const id = await proposed(postAdjustment(ann, 4));
    for (const verb of ['approve', 'reject'] as const)
      expect(codeOf(await decide(viewer, id, verb))).toEqual([403, 'permission_missing']);
    await expectStatus(200, decide(bob, id, 'reject'));
  });

  test('is carried out once, by however many who approve at the same time', async () => {
    const before = await fees();
    const id = await proposed(postAdjustment(ann, 5));
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => decide(i % 2 ? bob : cleo, id)));
    expect(answers.filter(({ status }) => status === 200).length).toBeGreaterThan(0);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(await fees()).toBe(before + 5);
  });

  test('is carried out once, also when it adds an admin', async () => {
    const added = async () =>
      (await expectStatus(200, cleo('GET', '/api/admin/admins'))).admins.filter(
        (one: { name: string }) => one.name === 'Only one',
      ).length;
    const id = await proposed(cleo('POST', '/api/admin/admins', { name: 'Only one', role: 'viewer' }));
    const answers = await Promise.all(Array.from({ length: 8 }, () => decide(corridor.admin, id)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(codeOf(await decide(corridor.admin, id))).toEqual([409, 'approval_decided']);
    expect(await added()).toBe(1);
  });

  test('is decided once: a rejected proposal stays rejected, an approved one approved', async () => {
    const before = await fees();
    const id = await proposed(postAdjustment(ann, 6));
    await expectStatus(200, decide(bob, id, 'reject'));
    for (const call of [bob, cleo, corridor.admin])
      expect(codeOf(await decide(call, id))).toEqual([409, 'approval_decided']);
    const other = await proposed(postAdjustment(ann, 6));
    await expectStatus(200, decide(bob, other));
    expect(codeOf(await decide(cleo, other, 'reject'))).toEqual([409, 'approval_decided']);
    expect(await fees()).toBe(before + 6);
  });

  test('expires after 24 hours', async () => {
    const id = await proposed(postAdjustment(ann, 7));
    await corridor.db.query('age', `update approval set expires_at = now() - interval '1 ms' where id = $1`, [
      id,
    ]);
    expect(codeOf(await decide(bob, id))).toEqual([409, 'approval_decided']);
  });

  test('is checked again when it is approved', async () => {
    const id = await proposed(
      ann(
        'POST',
        '/api/admin/ledger/payouts',
        { amount: 1_000_000, reason: 'Too much' },
        { 'idempotency-key': 'too-much' },
      ),
    );
    expect(codeOf(await decide(bob, id))).toEqual([409, 'insufficient_balance']);
  });

  test('with the key of a posting is not proposed, because it would post nothing', async () => {
    const headers = { 'idempotency-key': 'posted-before' };
    const { result } = await expectStatus(200, decide(bob, await proposed(postAdjustment(ann, 3, headers))));
    const before = await fees();
    for (const amount of [3, 4]) {
      const refused = await postAdjustment(ann, amount, headers);
      expect(codeOf(refused)).toEqual([409, 'idempotency_conflict']);
      expect(refused.body.error).toContain(`Posting ${result.id} `);
    }
    expect(await fees()).toBe(before);
  });

  test('with a body that is refused is not even proposed', async () => {
    const { approvals } = await expectStatus(200, ann('GET', '/api/admin/approvals?limit=1'));
    expect((await ann('POST', '/api/admin/ledger/payouts', { amount: -1 })).status).toBe(400);
    expect(await expectStatus(200, ann('GET', '/api/admin/approvals?limit=1'))).toMatchObject({ approvals });
  });
});

test.each(['approvals?status=nonsense', 'audit?limit=0'])('%s is refused', async (path) => {
  expect((await corridor.admin('GET', `/api/admin/${path}`)).status).toBe(400);
});

describe('two persons are needed', () => {
  test('to note a withdrawal as paid, and the proposal shows it', async () => {
    await deposit(lp, 20);
    const asked = await expectStatus(
      201,
      lp.call('POST', `/api/lp/${lp.key}/collateral/withdraw`, {
        amount: 3,
        asset: 'usdt',
        address: 'TPayMeHere',
      }),
    );
    const answer = await ann('POST', `/api/admin/withdrawals/${asked.id}/paid`, { tx_hash: 'ab12' });
    expect(answer.body.approval.preview).toMatchObject({
      withdrawal: { id: asked.id, amount: 3, lp_id: lp.id },
    });
    const status = async () =>
      (await expectStatus(200, ann('GET', '/api/admin/withdrawals'))).withdrawals.find(
        (one: { id: number }) => one.id === asked.id,
      ).status;
    expect(await status()).toBe('requested');
    await expectStatus(200, decide(bob, answer.body.approval.id));
    await eventuallyEquals(status, 'paid');
    // Nobody is asked to approve what is decided.
    expect(await ann('POST', `/api/admin/withdrawals/${asked.id}/paid`, { tx_hash: 'cd34' })).toMatchObject({
      status: 409,
      body: { error: 'This withdrawal is already decided: paid with ab12' },
    });
  });

  test('to give somebody another role, a key, or access at all', async () => {
    const { admins } = await expectStatus(200, cleo('GET', '/api/admin/admins'));
    const { id } = admins.find((one: { name: string }) => one.name === 'Vera');
    await proposed(cleo('POST', `/api/admin/admins/${id}`, { role: 'owner' }));
    await proposed(cleo('POST', '/api/admin/admins', { name: 'My second self', role: 'owner' }));
    await proposed(cleo('POST', `/api/admin/admins/${id}/rotate`, {}));
    expect((await viewer('POST', '/api/admin/users', {})).status).toBe(403);
    const inactive = await expectStatus(
      201,
      corridor.admin('POST', '/api/admin/admins', { name: 'Ivy', role: 'viewer' }),
    );
    await expectStatus(200, corridor.admin('DELETE', `/api/admin/admins/${inactive.id}`));
    for (const [path, body] of [
      [`${inactive.id}/rotate`, {}],
      ['999999/rotate', {}],
      ['999999', { role: 'owner' }],
    ] as const)
      await expectStatus(404, cleo('POST', `/api/admin/admins/${path}`, body));
    // With another name, two admins of one person would be two persons.
    await proposed(cleo('POST', `/api/admin/admins/${id}`, { name: 'Vera B.' }));
    // No change needs only one.
    await expectStatus(200, cleo('POST', `/api/admin/admins/${id}`, {}));
  });

  test('to give back an access that has expired, or that one address has', async () => {
    const limits = { expires_at: '2998-01-31T00:00:00Z', allowed_ips: ['192.0.2.7'] };
    const added = { name: 'Una', role: 'owner', ...limits };
    const { id, api_key } = await expectStatus(201, corridor.admin('POST', '/api/admin/admins', added));
    await corridor.db.query('t-end', 'update admin set expires_at = now() where id = $1', [id]);
    const row = async () =>
      (await expectStatus(200, cleo('GET', '/api/admin/admins'))).admins.find(
        (one: { id: number }) => one.id === id,
      );
    const before = await row();
    for (const change of [
      { expires_at: null },
      { allowed_ips: null },
      { expires_at: null, allowed_ips: null },
      { name: 'Una B.', expires_at: '2999-01-31T00:00:00Z' },
      { allowed_ips: ['0.0.0.0/0'] },
    ])
      await proposed(cleo('POST', `/api/admin/admins/${id}`, change));
    expect(await row()).toEqual(before);
    expect((await corridor.as(api_key)('GET', '/api/admin/whoami')).status).toBe(403);
    await expectStatus(200, cleo('DELETE', `/api/admin/admins/${id}`));
  });

  test('to give a name, which nobody else may have when it is proposed, nor when it is approved', async () => {
    const add = (name: string) => cleo('POST', '/api/admin/admins', { name, role: 'viewer' });
    const taken = [409, 'name_taken'];
    const first = await proposed(add('Nina'));
    const second = await proposed(add('nina'));
    const { approval, result } = await expectStatus(200, decide(corridor.admin, first));
    expect([approval.proposed_by_name, approval.permission]).toEqual(['Cleo', 'admins:manage']);
    expect(approval.carried_out_at).not.toBeNull();
    const before = await expectStatus(200, cleo('GET', '/api/admin/approvals?limit=1'));
    expect(codeOf(await add('NINA'))).toEqual(taken);
    const rename = (id: number, name: string) =>
      cleo('POST', `/api/admin/admins/${id}`, { name, role: 'support' });
    const other = await expectStatus(
      201,
      corridor.admin('POST', '/api/admin/admins', { name: 'Nadia', role: 'viewer' }),
    );
    expect(codeOf(await rename(other.id, 'Nina'))).toEqual(taken);
    expect(await expectStatus(200, cleo('GET', '/api/admin/approvals?limit=1'))).toEqual(before);
    expect(codeOf(await decide(corridor.admin, second))).toEqual(taken);
    // The own name is free, and the proposal shows who would get another role.
    const own = await expectStatus(202, rename(result.id, 'NINA'));
    expect(own.approval.preview).toEqual({
      admin: {
        ...{ id: result.id, name: 'Nina', role: 'viewer' },
        ...{ is_active: true, expires_at: null, allowed_ips: null },
      },
    });
  });

  test('to resolve a dispute with a slash, and to compensate who was harmed', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder();
    await expectStatus(200, lp.claim(id));
    await expectStatus(200, agent.dispute(id));
    const resolution = { outcome: 'cancelled', slash_usd: 2, reason: 'Nothing has arrived' };
    const resolve = await proposed(adminDoes(ann, 'resolve', id, resolution));
    expect(await agent.statusOf(id)).toBe('disputed');
    await expectStatus(200, decide(bob, resolve));
    expect(await agent.statusOf(id)).toBe('cancelled');
    const compensation = { amount: 2, order_id: id, lp_id: lp.id, reason: 'Harmed' };
    const headers = { 'idempotency-key': 'compensation' };
    const paid = await proposed(ann('POST', '/api/admin/ledger/compensations', compensation, headers));
    expect(await expectStatus(200, decide(bob, paid))).toMatchObject({ result: { amount: 2 } });
  });

  test('to remove the personal data of a user, and the proposal shows of how many orders', async () => {
    const agent = await corridor.newAgent();
    const id = await agent.newOrder();
    await expectStatus(200, agent.cancel(id));
    await agent.newOrder();
    const forget = (call: Call, userId = agent.userId) =>
      call('POST', `/api/admin/users/${userId}/forget`, {});
    const recipient = async () => {
      const sql = 'select recipient from orders where id = $1';
      return (await corridor.db.query<{ recipient: string }>('t-recipient', sql, [id]))[0]?.recipient;
    };
    const { approval } = await expectStatus(202, forget(cleo));
    expect(approval.preview).toEqual({ user_id: agent.userId, ended: 1, live: 1 });
    expect(codeOf(await decide(cleo, approval.id))).toEqual([403, 'own_proposal']);
    expect(codeOf(await decide(bob, approval.id))).toEqual([403, 'permission_missing']);
    expect(await recipient()).toBe('+254700123456');
    const done = await expectStatus(200, decide(corridor.admin, approval.id));
    expect(done.result).toEqual({ user_id: agent.userId, masked: 1, waiting: 0, live: 1 });
    expect(await recipient()).toBe('•••');
    expect((await forget(cleo, 999_999)).status).toBe(404);
  });

  test('also of root where money leaves', async () => {
    const id = await proposed(postAdjustment(corridor.admin, 1));
    expect(codeOf(await decide(corridor.admin, id))).toEqual([403, 'own_proposal']);
    await expectStatus(200, decide(bob, id));
  });
});
