import { describe, expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { expireNow } from '../support/actors.ts';
import { eventuallyEquals } from '../support/eventually.ts';
import { expectSoundWhenStill } from '../support/soundness.ts';
import { useCorridor } from '../support/use-corridor.ts';

/** A resolution uses up only a transaction that the chain has verified for the order, or that the admin names. */
const corridor = await useCorridor();
const [agent, thief] = [await corridor.newAgent(), await corridor.newAgent()];
const lp = await corridor.newLp({ collateral: 10_000 });

const finalise = (hash: string) =>
  corridor.db.pool.query(
    `update sandbox_transaction set final_at = date_trunc('milliseconds', now()) where tx_hash = $1`,
    [hash],
  );
const resolve = (id: number, body: object, query = '') => corridor.adminDoes(`resolve${query}`, id, body);
const used = async (id: number) =>
  (await corridor.db.pool.query('select tx_hash from chain_transaction where order_id = $1', [id])).rows.map(
    ({ tx_hash }) => tx_hash,
  );
/** The thief's order, disputed after three transactions of which the last is `hash`. */
async function disputedWith(hash: string): Promise<number> {
  const id = await thief.confirmedOrder(lp);
  for (const junk of [`sandbox-misdirected-${id}-1`, `sandbox-misdirected-${id}-2`]) {
    await expectStatus(200, thief.settle(id, junk));
    await eventuallyEquals(() => thief.statusOf(id), 'confirmed');
  }
  await expectStatus(200, thief.settle(id, hash));
  return id;
}
const expireVerification = async (id: number) => {
  const { status } = await expectStatus(200, corridor.anyone('GET', `/api/orders/${id}`));
  expect(status).toBe('crypto_verify_pending');
  await expectStatus(200, expireNow({ call: corridor.admin }, id));
};

describe('an order that is resolved as completed', () => {
  test('does not use up the transaction that its agent named last', async () => {
    const own = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, own, { final_after_ms: 600_000 });
    const stolen = await disputedWith(hash);
    await expireVerification(stolen);
    expect(await thief.statusOf(stolen)).toBe('disputed');
    for (const query of ['?dry_run=true', '', '?dry_run=true'])
      expect(await resolve(stolen, { outcome: 'completed' }, query)).toMatchObject({
        status: 200,
        body: { tx_hash: null },
      });
    expect(await used(stolen)).toEqual([]);

    await expectStatus(200, agent.settle(own, hash));
    await finalise(hash);
    await eventuallyEquals(() => agent.statusOf(own), 'completed');
  });

  test('uses up the transaction that the admin names, in any spelling, and the dry run shows it', async () => {
    const id = await disputedWith('sandbox-misdirected-the-last');
    await eventuallyEquals(() => thief.statusOf(id), 'disputed');
    const tx_hash = ` 0xABCDEF${id} `;
    const named = `abcdef${id}`;
    const dry = await resolve(id, { outcome: 'completed', tx_hash }, '?dry_run=true');
    const chain_finding = { result: 'not_found', detail: 'Tron does not know this transaction' };
    expect(dry).toMatchObject({ status: 200, body: { dry_run: true, tx_hash: named, chain_finding } });
    expect(await used(id)).toEqual([]);
    const done = await resolve(id, { outcome: 'completed', tx_hash });
    expect(done).toMatchObject({ status: 200, body: { dry_run: false, tx_hash: named, chain_finding } });
    expect(await used(id)).toEqual([named]);

    const other = await agent.confirmedOrder(lp);
    await expectStatus(200, agent.settle(other, named));
    await expectStatus(200, agent.settle(other, await corridor.payment(agent, other)));
    await eventuallyEquals(() => agent.statusOf(other), 'completed');
  });

  test('cannot use one that has paid another order', async () => {
    const paid = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, paid);
    await expectStatus(200, agent.settle(paid, hash));
    await eventuallyEquals(() => agent.statusOf(paid), 'completed');
    const id = await disputedWith('sandbox-misdirected-again');
    await eventuallyEquals(() => thief.statusOf(id), 'disputed');
    for (const query of ['?dry_run=true', '']) {
      const refused = await resolve(id, { outcome: 'completed', tx_hash: hash }, query);
      expect([refused.status, refused.headers.get('x-error-code')]).toEqual([409, 'transaction_used']);
    }
    await expectStatus(200, resolve(id, { outcome: 'cancelled' }));
  });

  test('keeps the transaction that the chain has verified for it', async () => {
    const id = await agent.confirmedOrder(lp);
    const hash = await corridor.payment(agent, id, { final_after_ms: 600_000 });
    await expectStatus(200, agent.settle(id, hash));
    // The verdict is recorded, and the deadline passes before the order completes.
    const { version } = (await corridor.db.pool.query('select version from orders where id = $1', [id]))
      .rows[0];
    await corridor.db.pool.query(
      `with verdict as (
         insert into payment_verdict (order_id, version, chain, tx_hash, kind) values ($1, $2, 'trx', $3, 'verified')
         on conflict (order_id, version) do update set kind = 'verified'
       )
       insert into chain_transaction (chain, tx_hash, order_id) values ('trx', $3, $1)`,
      [id, version, hash],
    );
    await expireVerification(id);
    const dry = await resolve(id, { outcome: 'completed' }, '?dry_run=true');
    expect(dry).toMatchObject({ status: 200, body: { tx_hash: hash } });
    expect((await resolve(id, { outcome: 'completed' })).body.tx_hash).toBe(hash);
    expect(await used(id)).toEqual([hash]);
    expect(await corridor.lastTransition(id)).toMatchObject({ status: 'completed', cause: 'resolve' });
  });
});

test('the dry run says what the chain says about the transaction that the admin names', async () => {
  const id = await disputedWith('sandbox-misdirected-named');
  await eventuallyEquals(() => thief.statusOf(id), 'disputed');
  const findingOn = async (tx_hash?: string) =>
    (await resolve(id, { outcome: 'completed', tx_hash }, '?dry_run=true')).body.chain_finding;
  const half = await findingOn(`sandbox-underpaid-${id}`);
  expect(half).toEqual({
    result: 'invalid',
    detail: expect.stringMatching(
      /^The transaction pays \S+ usdt, not exactly \S+: \S+ less than is asked for$/,
    ),
  });
  expect(await findingOn(`sandbox-pending-${id}`)).toMatchObject({ result: 'pending' });
  expect(await findingOn(await corridor.payment(thief, id))).toEqual({
    result: 'verified',
    detail: expect.stringMatching(/^The transaction pays \S+ usdt to the order’s address, as asked for/),
  });
  expect(await findingOn()).toBeNull();
  expect(await used(id)).toEqual([]);
});

test('a cancelled order uses up no transaction, and an admin cannot name one', async () => {
  const id = await disputedWith('sandbox-misdirected-third');
  await eventuallyEquals(() => thief.statusOf(id), 'disputed');
  const refused = await resolve(id, { outcome: 'cancelled', tx_hash: 'ab'.repeat(32) });
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([400, 'validation_failed']);
  expect(await resolve(id, { outcome: 'cancelled' })).toMatchObject({ status: 200, body: { tx_hash: null } });
  expect(await used(id)).toEqual([]);
});

test('at the end all rows and workflows agree', () => expectSoundWhenStill(corridor));
