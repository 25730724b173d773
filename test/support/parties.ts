import type { Call, Callers } from '../../dev/http-client.ts';
import type { Database } from '../../src/db/orm.ts';
import * as actors from './actors.ts';

/*
 * The parties of a test with what each does as methods: `lp.claim(id)`, `agent.settle(id, hash)`, `corridor.rowOf(id)`. The
 * functions of `actors.ts` describe them. A method acts as the object that has it, so `{ ...agent, call }` acts with the other call.
 */

/** A step as a method of its party. */
const by = <Party, Rest extends unknown[], Result>(step: (party: Party, ...rest: Rest) => Result) =>
  function (this: Party, ...rest: Rest): Result {
    return step(this, ...rest);
  };

const AGENT_STEPS = {
  pay: by(actors.pay),
  newOrder: by(actors.newOrder),
  statusOf: by(actors.statusOf),
  confirm: by(actors.confirm),
  settle: by(actors.settle),
  cancel: by(actors.cancel),
  dispute: by(actors.dispute),
  expireNow: by(actors.expireNow),
  confirmedOrder: by(actors.confirmedOrder),
};
export type Agent = actors.Agent & typeof AGENT_STEPS;

const LP_STEPS = {
  claim: by(actors.claim),
  fiatSent: by(actors.fiatSent),
  release: by(actors.release),
  dispute: by(actors.disputeByLp),
  expireNow: by(actors.expireNow),
};
export type TestLp = actors.TestLp & typeof LP_STEPS;

type Parties = Pick<Callers, 'anyone' | 'admin' | 'as'> & { db: Database };

/** An admin's step as a method of the Corridor. */
const byAdmin = <Rest extends unknown[], Result>(step: (admin: Call, ...rest: Rest) => Result) =>
  function (this: Pick<Parties, 'admin'>, ...rest: Rest): Result {
    return step(this.admin, ...rest);
  };

/** What a test does with its Corridor. */
export const CORRIDOR_STEPS = {
  async newAgent(this: Parties): Promise<Agent> {
    return { ...(await actors.newAgent(this)), ...AGENT_STEPS };
  },
  async newUnlimitedAgent(this: Parties): Promise<Agent> {
    return { ...(await actors.newUnlimitedAgent(this)), ...AGENT_STEPS };
  },
  async newLp(this: Parties, options?: actors.LpOptions): Promise<TestLp> {
    return { ...(await actors.newLp(this, options)), ...LP_STEPS };
  },
  transaction(this: Parties, to: string, amount: number, changes?: Record<string, unknown>) {
    return actors.transaction(this.anyone, to, amount, changes);
  },
  payment: by(actors.payment),
  completedOrder: by(actors.completedOrder),
  rowOf: byAdmin(actors.rowOf),
  lastTransition: byAdmin(actors.lastTransition),
  adminDoes: byAdmin(actors.adminDoes),
  collateralOf: by(actors.collateralOf),
  /** The rows of a statement that runs as the superuser. */
  async sql(this: Parties, text: string, values: unknown[] = []) {
    return (await this.db.pool.query(text, values)).rows;
  },
};
