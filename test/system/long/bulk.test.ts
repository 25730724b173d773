import { expect, test } from '@jest/globals';
import { expectStatus } from '../../../dev/http-client.ts';
import { type Agent, cancel, newLp, newOrder, newUnlimitedAgent, pay, rowOf } from '../../support/actors.ts';
import { dryRun, endedRun, readRun, startRun } from '../../support/bulk.ts';
import { copiesOf } from '../../support/copied-orders.ts';
import { INSTALLATION_TIMEOUTS, startCorridor } from '../../support/corridor.ts';
import { createCrashingProcesses } from '../../support/crashing-processes.ts';
import { eventually } from '../../support/eventually.ts';
import { retryWhile503 } from '../../support/retry-while-503.ts';
import { SCALED_TIMEOUT_MS, scaled } from '../../support/scale.ts';

/**
 * One bulk run over many orders, while its worker is killed twice, and an agent sends commands of its own. Prints its
 * figures. `BULK_ORDERS=1000` sets the number of orders.
 */
const ORDERS = Number(process.env.BULK_ORDERS ?? scaled({ short: 240, long: 10_000 }));
/** The worker is killed when so many of the orders are treated. */
const KILLED_AT = [1 / 3, 2 / 3];
/** Commands of the agent before the run. */
const COMMANDS = scaled({ short: 3, long: 100 });
/** The copied orders have no workflow, and each gets its own with the command. */
const WORKER = { UPKEEP_SETTLE_TIME: '1h' };

const EVENTS = `
  select extended, count(*)::int as orders from (
    select b.order_id, count(e.*)::int as extended from bulk_order b
    left join order_event e on e.order_id = b.order_id and e.cause = 'extend' group by b.order_id
  ) each_order group by extended`;
const MOVED = `
  select count(*)::int as orders from bulk_order b join orders o on o.id = b.order_id
  where o.version = b.version + 1 and o.timeout_at = $1::timestamptz + interval '1 hour'`;

test(
  `a run over ${ORDERS} orders treats each once, although its worker is killed twice`,
  async () => {
    const corridor = await startCorridor({ worker: false, timeouts: INSTALLATION_TIMEOUTS });
    const processes = createCrashingProcesses(corridor, corridor.databaseUrl);
    const startWorker = async () => (await processes.startPart('worker', WORKER)).process;
    try {
      await newLp(corridor);
      const agent = await newUnlimitedAgent(corridor);
      // All copies have the deadline of the first order.
      const first = await newOrder(agent);
      await copiesOf(corridor, first, ORDERS - 1);
      const { timeout_at: deadline } = await rowOf(corridor.admin, first);
      const madeAt = Date.now();
      const { id, orders } = await dryRun(corridor.admin, 'extend', 'status=matched', { by: '1h' });
      const dryRunMs = Date.now() - madeAt;
      expect(orders).toBe(ORDERS);
      let worker = await startWorker();
      const alone: number[] = [];
      while (alone.length < COMMANDS) alone.push(await timedCancel(agent));

      const treatedBy = (count: number) =>
        eventually(async () => {
          const { treated } = await readRun(corridor.admin, id);
          return treated >= count && treated;
        }, SCALED_TIMEOUT_MS);
      const startedAt = Date.now();
      await expectStatus(200, startRun(corridor.admin, id));
      const besideTheRun: number[] = [];
      const lostMs: number[] = [];
      for (const fraction of KILLED_AT) {
        let isReached = false;
        const commands = (async () => {
          while (!isReached) besideTheRun.push(await timedCancel(agent));
        })();
        await treatedBy(ORDERS * fraction);
        isReached = true;
        // While a command may be under way: it is repeated, and ends with the next worker.
        worker.kill('SIGKILL');
        const killedAt = Date.now();
        await worker.ended;
        const { treated } = await readRun(corridor.admin, id);
        expect(treated).toBeLessThan(ORDERS);
        worker = await startWorker();
        await treatedBy(treated + 1);
        lostMs.push(Date.now() - killedAt);
        await commands;
      }
      const run = await endedRun(corridor.admin, id, SCALED_TIMEOUT_MS);
      const seconds = (Date.now() - startedAt) / 1_000;

      expect(run).toMatchObject({ state: 'finished', treated: ORDERS });
      expect(run.outcomes).toEqual([{ outcome: 'applied', reason: null, orders: ORDERS }]);
      expect(await corridor.db.query('t-events', EVENTS, [])).toEqual([{ extended: 1, orders: ORDERS }]);
      expect(await corridor.db.query('t-moved', MOVED, [deadline])).toEqual([{ orders: ORDERS }]);
      const perSecond = Math.round((1_000 * orders) / (1_000 * seconds - lostMs.reduce((a, b) => a + b)));
      const commandMs = { alone: median(alone), besideTheRun: median(besideTheRun) };
      const figures = { orders, dryRunMs, seconds, perSecond, lostMs, commandMs };
      process.stderr.write(`\ntests: a bulk run with two killed workers: ${JSON.stringify(figures)}\n`);
    } finally {
      await processes.end();
      await corridor.stop();
    }
  },
  SCALED_TIMEOUT_MS,
);

/** Milliseconds of an agent's command, with its repeats. */
async function timedCancel(agent: Agent): Promise<number> {
  const { body } = await retryWhile503(() => pay(agent));
  const began = performance.now();
  expect((await retryWhile503(() => cancel(agent, body.order_id))).status).toBe(200);
  return performance.now() - began;
}

const median = (values: number[]): number =>
  Math.round(values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN);
