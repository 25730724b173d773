import type { NewOrder } from '../../src/db/commands/create-order.ts';
import { migrate } from '../../src/db/orm.ts';
import { stepQuery } from '../../src/db/steps/perform-step.ts';
import { openBooks } from '../../test/support/books.ts';
import { STAGES, stepInput, type Transition } from '../stages.ts';

export interface TransitionsOptions {
  /** Of a database that is made if it is missing, and must have no Corridor at work on it. */
  databaseUrl: string;
  orders: number;
  /** Statements that run at the same time, each on a connection of its own; 20 at most. */
  connections?: number;
}

/** How many statements a second, by the name of the transition. */
export type TransitionRates = Record<Transition, number>;

/**
 * Corridor's own statements with nothing around them: what PostgreSQL gives when nobody waits for a workflow. Each is
 * prepared once for a connection; orders are shared out among as many LPs as there are connections.
 */
export async function measureTransitions({
  databaseUrl,
  orders,
  connections = 16,
}: TransitionsOptions): Promise<TransitionRates> {
  await migrate({ url: databaseUrl, debug: () => undefined });
  const books = await openBooks(databaseUrl);
  const { db } = books;
  try {
    const lps: number[] = [];
    while (lps.length < connections) lps.push(await books.newLp());
    await Promise.all(lps.map((lp) => books.deposit(lp, '100000000')));
    const drafts: NewOrder[] = [];
    while (drafts.length < orders)
      drafts.push(await books.draft(lps[drafts.length % lps.length] as number, '6475'));

    const rates: Partial<TransitionRates> = {};
    rates.create = await perSecond(drafts, connections, async (order) => {
      if (!(await books.create(order))) throw new Error(`Order ${order.id} was not created`);
    });
    for (const stage of STAGES) {
      const { step } = stage;
      rates[step] = await perSecond(drafts, connections, async (order) => {
        const { name, text, values } = stepQuery(step, stepInput(stage, order));
        const changed = await db.query(name, text, values);
        if (changed.length !== 1) throw new Error(`${step} of order ${order.id} changed nothing`);
      });
    }
    return rates as TransitionRates;
  } finally {
    await db.close();
  }
}

/** Does the work for each item, so many at a time. */
async function perSecond<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>) {
  const left = [...items];
  const begun = performance.now();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return (items.length * 1_000) / (performance.now() - begun);
}
