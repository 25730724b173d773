import type { QueryResultRow } from 'pg';
import type { Callers } from '../../dev/http-client.ts';
import type { Database } from '../../src/db/orm.ts';
import * as actors from './actors.ts';

/*
 * The parties of a test with what each does as methods: `lp.claim(id)`, `agent.settle(id, hash)`, `corridor.rowOf(id)`. The
 * functions of `actors.ts` describe them.
 */

/** A step of a party, bound to that party. */
const of =
  <Party, Rest extends unknown[], Result>(party: Party, step: (party: Party, ...rest: Rest) => Result) =>
  (...rest: Rest): Result =>
    step(party, ...rest);

const withAgentSteps = (agent: actors.Agent) => ({
  ...agent,
  pay: of(agent, actors.pay),
  newOrder: of(agent, actors.newOrder),
  statusOf: of(agent, actors.statusOf),
  confirm: of(agent, actors.confirm),
  settle: of(agent, actors.settle),
  cancel: of(agent, actors.cancel),
  dispute: of(agent, actors.dispute),
  expireNow: of(agent, actors.expireNow),
  confirmedOrder: of(agent, actors.confirmedOrder),
});
export type Agent = ReturnType<typeof withAgentSteps>;

const withLpSteps = (lp: actors.TestLp) => ({
  ...lp,
  claim: of(lp, actors.claim),
  fiatSent: of(lp, actors.fiatSent),
  release: of(lp, actors.release),
  dispute: of(lp, actors.disputeByLp),
  expireNow: of(lp, actors.expireNow),
});
export type TestLp = ReturnType<typeof withLpSteps>;

/** What a test does with its Corridor. */
export const corridorSteps = (corridor: Pick<Callers, 'anyone' | 'admin' | 'as'> & { db: Database }) => ({
  newAgent: async () => withAgentSteps(await actors.newAgent(corridor)),
  newUnlimitedAgent: async () => withAgentSteps(await actors.newUnlimitedAgent(corridor)),
  newLp: async (options?: actors.LpOptions) => withLpSteps(await actors.newLp(corridor, options)),
  transaction: of(corridor.anyone, actors.transaction),
  payment: of(corridor, actors.payment),
  completedOrder: of(corridor, actors.completedOrder),
  rowOf: of(corridor.admin, actors.rowOf),
  lastTransition: of(corridor.admin, actors.lastTransition),
  adminDoes: of(corridor.admin, actors.adminDoes),
  collateralOf: of(corridor, actors.collateralOf),
  /** The rows of a statement that runs as the superuser. */
  sql: async <Row extends QueryResultRow = QueryResultRow>(text: string, values: unknown[] = []) =>
    (await corridor.db.pool.query<Row>(text, values)).rows,
});
