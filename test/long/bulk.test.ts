import { expect, test } from '@jest/globals';
import { expectStatus } from '../../dev/http-client.ts';
import { newLp, newOrder, newUnlimitedAgent } from '../support/actors.ts';
import { dryRun, endedRun, readRun, startRun } from '../support/bulk.ts';
import { copiesOf } from '../support/copied-orders.ts';
import { startCorridor } from '../support/corridor.ts';
import { createCrashingProcesses } from '../support/crashing-processes.ts';
import { eventually } from '../support/eventually.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../support/scale.ts';

/** One bulk run over many orders, while its worker is killed twice. Prints its figures. */
const ORDERS = scaled({ short: 60, long: 10_000 });
/** The worker is killed when so many of the orders are treated. */
const KILLED_AT = [1 / 3, 2 / 3];
/** The copied orders have no workflow, and each gets its own with the command. */
const WORKER = { UPKEEP_SETTLE_TIME: '1h' };

/** How often each count of events occurs, such as `{ 'extend once': 100 }`. */
const EVENTS = `
  select extended, count(*)::int as orders from (
    select o.id, count(e.*)::int as extended from orders o
    left join order_event e on e.order_id = o.id and e.cause = 'extend' group by o.id
  ) each_order group by extended`;
const MOVED = `
  select count(*)::int as orders from bulk_order b join orders o on o.id = b.order_id
  where o.version = b.version + 1 and o.timeout_at = o.expires_at + interval '1 hour'`;

test(
  `a run over ${ORDERS} orders treats each once, although its worker is killed twice`,
  async () => {
    const corridor = await startCorridor({ worker: false });
    const processes = createCrashingProcesses(corridor, corridor.databaseUrl);
    try {
      await newLp(corridor);
      const agent = await newUnlimitedAgent(corridor);
      await copiesOf(corridor, await newOrder(agent), ORDERS - 1);
      const madeAt = Date.now();
      const { id, orders } = await dryRun(corridor.admin, 'extend', 'status=matched', { by: '1h' });
      const dryRunMs = Date.now() - madeAt;
      expect(orders).toBe(ORDERS);

      const startedAt = Date.now();
      await expectStatus(200, startRun(corridor.admin, id));
      let worker = await processes.startPart('worker', WORKER);
      const treatedBy = (count: number) =>
        eventually(async () => {
          const { treated } = await readRun(corridor.admin, id);
          return treated >= count && treated;
        }, SCALED_TIMEOUT_MS);
      const lostMs: number[] = [];
      for (const fraction of KILLED_AT) {
        await treatedBy(ORDERS * fraction);
        worker.process.kill('SIGKILL');
        const killedAt = Date.now();
        await worker.process.ended;
        const { treated } = await readRun(corridor.admin, id);
        expect(treated).toBeLessThan(ORDERS);
        worker = await processes.startPart('worker', WORKER);
        await treatedBy(treated + 1);
        lostMs.push(Date.now() - killedAt);
      }
      const run = await endedRun(corridor.admin, id, SCALED_TIMEOUT_MS);
      const seconds = (Date.now() - startedAt) / 1_000;

      expect(run).toMatchObject({ state: 'finished', treated: ORDERS });
      expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: ORDERS }]);
      expect(await corridor.db.query('t-events', EVENTS, [])).toEqual([{ extended: 1, orders: ORDERS }]);
      expect(await corridor.db.query('t-moved', MOVED, [])).toEqual([{ orders: ORDERS }]);
      const figures = { orders, dryRunMs, seconds, perSecond: Math.round(orders / seconds), lostMs };
      process.stderr.write(`\ntests: a bulk run with two killed workers: ${JSON.stringify(figures)}\n`);
    } finally {
      await processes.end();
      await corridor.stop();
    }
  },
  SCALED_TIMEOUT_MS,
);
