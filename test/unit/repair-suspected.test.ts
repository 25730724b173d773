import { expect, test } from '@jest/globals';
import type { Database } from '../../src/db/orm.ts';
import {
  repairSuspected,
  type SuspectedOrder,
} from '../../src/operations/upkeep/jobs/repair-stuck-workflows.ts';
import type { ReconciledOrder } from '../../src/operations/upkeep/reconciled-orders.ts';

/** What suspects that a workflow is stuck: the order's version in the round, or a query of the database. */
const order = (id: number) =>
  ({ id, status: 'claimed', version: 3, webhooks: [] }) as unknown as ReconciledOrder;
const BEHIND = { status: 'matched', version: 2 } as const;

/** Repairs with these answers of the queries, and returns what each call repaired. */
async function repaired(answers: Record<string, ReconciledOrder[] | Error>) {
  const calls: string[][] = [];
  const db = {
    query: async (name: string) => {
      const answer = answers[name] ?? [];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  } as unknown as Database;
  const gateway = {
    runningAmong: async (ids: readonly number[]) => new Map(ids.map((id) => [id, BEHIND])),
  };
  const repair = async (suspected: readonly SuspectedOrder[]) => {
    calls.push(suspected.map((one) => `${one.order.id} ${one.sign}`));
  };
  const observed = { running: new Map([[1, BEHIND]]), orders: new Map([[1, order(1)]]) };
  const error = await repairSuspected({ db, gateway }, observed, repair).catch((failure) => failure);
  return { repaired: calls.flat(), failures: error?.errors?.map(({ message }: Error) => message) };
}

test('an order counts once, and lags if it is also silent', async () => {
  expect(
    await repaired({
      'reconcile-overdue': [order(1), order(2)],
      'reconcile-silent': [order(1), order(2), order(3)],
    }),
  ).toEqual({ repaired: ['1 lagging', '2 lagging', '3 silent'], failures: undefined });
});

test('a query that fails stops no other repair, and is reported', async () => {
  expect(
    await repaired({ 'reconcile-overdue': new Error('too slow'), 'reconcile-silent': [order(3)] }),
  ).toEqual({ repaired: ['1 lagging', '3 silent'], failures: ['too slow'] });
  expect(
    await repaired({ 'reconcile-overdue': [order(2)], 'reconcile-silent': new Error('too slow') }),
  ).toEqual({ repaired: ['1 lagging', '2 lagging'], failures: ['too slow'] });
});
