import type { Database } from '../../../src/db/orm.ts';
import { MAX_BULK_ORDERS } from '../../../src/domain/bulk.ts';
import { dryRunBulk } from '../../../src/operations/bulk/dry-run.ts';
import { openIncident } from '../../../src/orders/incidents.ts';
import { closeIncident } from '../../../src/orders/steps/close-incident.ts';
import { recordHeartbeatAndShiftDeadlines } from '../../../src/orders/steps/shift-deadlines.ts';
import { openBooks } from '../../../test/support/books.ts';
import { copiesOf } from '../../../test/support/copied-orders.ts';
import { type Figures, ms, openOwn, ownDatabase, type Scenario } from '../scenario.ts';

const ADMIN = 'admin:root';
const BULK = {
  action: 'extend',
  arguments: { by_ms: 3_600_000 },
  where: 'agent=2',
  reason: 'measured',
} as const;

export const MANY_ORDERS: Scenario = {
  question: `How long do a dry run of half of many open orders (at most ${MAX_BULK_ORDERS}), the end of an incident of all, and the first heartbeat after an outage take, within 4 s for a statement?`,
  sizes: { orders: 100_000 },
  rounds: 1,
  warms: false,
  async start(given) {
    const url = await ownDatabase(given);
    await fill(url, given.size('orders') / 2);
    let longestMs = 0;
    const opened = await openOwn(url, given, { poolSize: 2 });
    const db: Database = {
      ...opened,
      query: async (name, text, values) => {
        const began = performance.now();
        try {
          return await opened.query(name, text, values);
        } finally {
          longestMs = Math.max(longestMs, performance.now() - began);
        }
      },
    };
    const timed = async (what: string, work: () => Promise<unknown>): Promise<Figures> => {
      longestMs = 0;
      const took = await ms(work);
      return { [`${what}, s`]: took / 1_000, [`${what}, longest statement, s`]: longestMs / 1_000 };
    };
    const measure = async () => {
      const dryRun = () => dryRunBulk(db, { ...BULK, filter: { agent: [2] }, admin: ADMIN });
      const scope = { currency: 'KES', method: null, chain: null };
      const figures = await timed('dry run', dryRun);
      const { id } = await openIncident(db, scope, 'down', ADMIN);
      Object.assign(figures, await timed('incident', () => closeIncident(db, id, ADMIN)));
      await recordHeartbeatAndShiftDeadlines(db, 0);
      return { ...figures, ...(await timed('outage', () => recordHeartbeatAndShiftDeadlines(db, 60_000))) };
    };
    return { Corridor: measure };
  },
};

/** The orders belong to two agents, 1 and 2, with so many each. */
async function fill(url: string, orders: number): Promise<void> {
  for (let agent = 0; agent < 2; agent++) {
    const books = await openBooks(url);
    try {
      const draft = await books.draft(await books.newLp(), '1000');
      await books.create(draft);
      await copiesOf(books, draft.id, orders - 1, `${agent}-`);
      await books.db.query('bench-analyze', 'analyze', []);
    } finally {
      await books.db.close();
    }
  }
}
