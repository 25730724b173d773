import { migrate } from '../../src/db/migrate.ts';
import type { NewOrder } from '../../src/orders/new-order.ts';
import { stepQuery } from '../../src/orders/steps/registry.ts';
import { NO_LIMITS } from '../../src/orders/steps/shared/step.ts';
import { openBooks } from '../../test/support/books.ts';
import { recordVerdicts, STAGES, stepInput, type Transition } from '../stages.ts';

export interface TransitionsOptions {
  /** Created if missing. No Corridor may run on this database. */
  databaseUrl: string;
  orders: number;
  /** Concurrent statements, each on a connection of its own; at most 20. */
  connections?: number;
}

/** Statements per second, by transition. */
export type TransitionRates = Record<Transition, number>;

/**
 * Measures Corridor's own statements without a workflow around them. Each connection prepares each statement once. The
 * orders are divided among as many LPs as there are connections.
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
      if (step === 'complete') await recordVerdicts(db);
      rates[step] = await perSecond(drafts, connections, async (order) => {
        const { name, text, values } = stepQuery(step, stepInput(stage, order), NO_LIMITS);
        const changed = await db.query(name, text, values);
        if (changed.length !== 1) throw new Error(`${step} of order ${order.id} changed nothing`);
      });
    }
    return rates as TransitionRates;
  } finally {
    await db.close();
  }
}

/** Performs the work for each item and returns items per second. */
async function perSecond<T>(items: readonly T[], concurrency: number, work: (item: T) => Promise<void>) {
  const left = [...items];
  const begun = performance.now();
  const worker = async () => {
    for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return (items.length * 1_000) / (performance.now() - begun);
}
