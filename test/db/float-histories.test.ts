import { afterAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UNSETTLED_STATUSES } from '../../src/domain/order-state.ts';
import { setQuoting } from '../../src/market/lps/publish-terms.ts';
import { freezeAfterLoss } from '../../src/orders/steps/freeze-after-loss.ts';
import { createLogger } from '../../src/process/log.ts';
import { type Action, action, commandFor, type Kind, kindOf } from '../support/float-actions.ts';
import { type Attempt, cents, KES, openFloatBooks } from '../support/float-books.ts';
import {
  end,
  type LpModel,
  type OrderModel,
  reserve,
  setFloat,
  takes,
  undo,
} from '../support/float-model.ts';
import { copyOrder } from '../support/lost-commits.ts';

/** Random histories of orders and of the terms of their LPs. A model of the documented rules predicts each float. */
const books = await openFloatBooks();
afterAll(() => books.db.close());

const log = createLogger('silent');
const query = async (sql: string, values: unknown[] = []) => (await books.db.pool.query(sql, values)).rows;

/** Orders whose agent's key is revoked: their claims are refused, whatever the LPs' terms are. */
const revoked = new Set<number>();
let lps: LpModel[] = [];

/** Carries out a command in the books and in the model. */
async function carryOut(kind: Kind, order: OrderModel, lp: LpModel): Promise<void> {
  const before = await books.state(order.id);
  const command = commandFor(kind, before, lp);
  if (!command) return;
  const { trigger } = command;
  const isChecked = before.status === 'crypto_verify_pending' && before.txHash !== null;
  if ((trigger === 'verified' || trigger === 'invalid') && isChecked) await books.check(order.id, trigger);
  if (trigger === 'deadline')
    await query(
      `update orders set timeout_at = date_trunc('milliseconds', now()) where id = $1 and frozen_ms is null`,
      [order.id],
    );
  if (trigger === 'revoke') await books.revokeAgentOf(order.id);
  const attempt = await books.attempt(order.id, command);
  const { status } = await books.state(order.id);
  if (trigger === 'claim' || trigger === 'autoClaim') expectClaim(attempt, order, lp, trigger);
  if (attempt.result !== 'applied') return expect(status).toBe(before.status);
  if (attempt.step === 'claim') reserve(order, lp);
  else if (before.status !== 'matched' && (status === 'matched' || status === 'cancelled')) end(order, false);
  else if (status === 'completed') end(order, true);
  if (status === 'matched') order.held = null;
  order.hasEnded = status === 'completed' || status === 'cancelled';
  // As if the worker had crashed before it reported the step, so that another worker repeats it.
  const floats = await Promise.all(lps.map(({ id }) => books.floatOf(id)));
  expect(await books.repeat(attempt)).toBe('applied');
  expect(await Promise.all(lps.map(({ id }) => books.floatOf(id)))).toEqual(floats);
}

function expectClaim({ result }: Attempt, order: OrderModel, lp: LpModel, trigger: string): void {
  if (result === 'refused') return;
  if (result === 'order_not_claimable' && (trigger === 'autoClaim' || revoked.has(order.id))) return;
  expect([result, lp, order.amount]).toEqual([
    takes(lp, order.amount) ? 'applied' : 'outside_terms',
    lp,
    order.amount,
  ]);
  if (result === 'applied' && trigger === 'autoClaim')
    expect(lp).toMatchObject({ quoting: true, fresh: true });
}
/** A failover loses the commits of an order since its copy. The worker detects that its workflow has seen them. */
async function lose(order: OrderModel): Promise<void> {
  const { copy } = order;
  if (!copy) return;
  const seen = await books.state(order.id);
  order.copy = null;
  const back = order.held && !(seen.status === 'cancelled') ? order.held : null;
  const wasHeld = copy.held && copy.status !== 'cancelled' ? copy.held : null;
  const available = (lp: LpModel) =>
    (lp.available ?? 0) + (back?.lp === lp ? back.cents : 0) - (wasHeld?.lp === lp ? wasHeld.cents : 0);
  // The copy contains only this order. A real failover also loses the other orders' claims on the same float.
  if (lps.some((lp) => lp.available !== null && available(lp) < 0)) return;
  await copy.restore();
  undo(back, seen.status, -1);
  undo(wasHeld, copy.status, 1);
  order.held = copy.held;
  order.hasEnded = copy.status === 'completed' || copy.status === 'cancelled';
  await freezeAfterLoss({ db: books.db, log }, order.id, seen);
}

async function changeTerms(kind: Kind, { amount: given, lp: which }: Action, lp: LpModel): Promise<void> {
  const { id } = lp;
  switch (kind) {
    case 'setFloat':
      await books.publish(id, { float: given });
      return setFloat(lp, cents(given));
    case 'clearFloat':
      await books.publish(id, { float: null });
      return setFloat(lp, null);
    case 'topUp': {
      const expected = lp.available === null ? null : String(lp.available / 100);
      const float = String(((lp.available ?? 0) + cents(given)) / 100);
      const wrong = books.publish(id, { expected_float: '0.07', float });
      await expect(wrong).rejects.toMatchObject({ code: 'float_changed' });
      await books.publish(id, { expected_float: expected, float });
      return setFloat(lp, cents(float));
    }
    case 'band':
      lp.min = which === 0 ? 0 : cents('1000');
      lp.max = which === 2 ? null : cents(given) + lp.min;
      return books.publish(id, {
        min: String(lp.min / 100),
        max: lp.max === null ? null : String(lp.max / 100),
      });
    case 'rate':
      lp.fresh = which > 0;
      await books.publish(id, { rate: { rate_usd: '129.5', validForMs: 3_600_000 } });
      if (which === 0) await query(`update lp_term set valid_until = 'yesterday' where lp_id = $1`, [id]);
      return;
    case 'quoting':
      lp.quoting = which > 0;
      await setQuoting(books.db, id, KES.currency, lp.quoting);
  }
}

async function expectModel(orders: OrderModel[]): Promise<void> {
  for (const { id, available, reserved, used, put } of lps) {
    expect(await books.floatOf(id)).toEqual({ available, reserved });
    expect(await books.reservedFor(id)).toBe(reserved);
    expect((available ?? 0) + reserved + used).toBe(put);
  }
  const open = orders.filter(({ hasEnded }) => !hasEnded);
  for (const { id, held } of open) {
    const [row] = await query('select status, lp_id, float_reserved from orders where id = $1', [id]);
    const isClaimed = UNSETTLED_STATUSES.includes(row.status);
    expect(row.float_reserved === null ? null : cents(row.float_reserved)).toBe(held?.cents ?? null);
    if (held) expect([isClaimed, row.lp_id]).toEqual([true, held.lp.id]);
  }
}

const openOrder = async (amount: string): Promise<OrderModel> => {
  const id = await books.open(lps[0]?.id ?? 0, amount);
  return { id, amount: cents(amount), held: null, hasEnded: false, copy: null };
};

test('floats follow any history of orders and terms', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 40, maxLength: 80, size: 'max' }), async (actions) => {
      lps = [];
      for (const float of [null, '5000', '12950']) {
        const available = float === null ? null : cents(float);
        const counted = { available, put: available ?? 0, reserved: 0, used: 0 };
        const id = await books.newFloatLp(float);
        lps.push({ id, ...counted, min: 0, max: null, quoting: true, fresh: true });
      }
      const orders = await Promise.all(['1295', '1295.01', '2590', '647.5'].map(openOrder));
      for (const one of actions) {
        const lp = lps[one.lp] as LpModel;
        let order = orders[one.order] as OrderModel;
        // A copy of an ended order may still be restored.
        if (order.hasEnded && (!order.copy || one.kind % 2 === 0)) {
          order = await openOrder(one.amount);
          orders[one.order] = order;
        }
        const kind = order.hasEnded ? 'lose' : kindOf(one, await books.state(order.id));
        if (kind === 'copy') {
          const { status } = await books.state(order.id);
          order.copy = { restore: await copyOrder(books.db, order.id), held: order.held, status };
        } else if (kind === 'lose') await lose(order);
        else if (kind === 'offersEnd')
          await query(`update orders set expires_at = date_trunc('milliseconds', now()) where id = $1`, [
            order.id,
          ]);
        else if (one.onTerms) await changeTerms(kind, one, lp);
        else {
          if (kind === 'revoke') revoked.add(order.id);
          await carryOut(kind, order, lp);
        }
        await expectModel(orders);
      }
    }),
    { numRuns: 25 },
  );
}, 300_000);
