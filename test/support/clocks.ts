import type { IncidentScope } from '../../src/domain/incident.ts';
import type { Command } from '../../src/domain/order-commands.ts';
import type { OrderStatus, StepName } from '../../src/domain/order-state.ts';
import { type Books, openBooks } from './books.ts';
import { stateOf, takeStep } from './take-step.ts';
import { timePasses } from './time-passes.ts';

const DAY_MS = 86_400_000;
/** The days that each stage of an order takes. */
export const STAGE_DAYS = 1_000;

export const KES: IncidentScope = { currency: 'KES', method: null, chain: null };
export const KES_MOBILE: IncidentScope = { currency: 'KES', method: 'mobile_money', chain: null };
export const TRX: IncidentScope = { currency: null, method: null, chain: 'trx' };

/** Orders whose clocks count days. Nobody waits: all times in the database move into the past. */
export interface Clocks {
  books: Books;
  lp: number;
  /** A new order in this status. Its stage has `STAGE_DAYS`. */
  orderIn: (status: OrderStatus) => Promise<number>;
  pass: (days: number) => Promise<void>;
  /** The whole days that the row gives the order, to the next one. */
  left: (id: number) => Promise<number>;
  take: (step: StepName, id: number, command: Command) => Promise<string>;
  /** What happens if the order's deadline is tried now. */
  expire: (step: StepName, id: number) => Promise<string>;
  /** From now on, the service is away. */
  beginOutage: () => Promise<void>;
  query: (sql: string, values?: unknown[]) => Promise<Record<string, unknown>[]>;
}

const PATH: [StepName, OrderStatus, (lpId: number) => Command][] = [
  ['claim', 'claimed', (lpId) => ({ trigger: 'claim', lpId, validUntil: 'infinity' })],
  ['markFiatSent', 'fiat_sent', (lpId) => ({ trigger: 'fiatSent', lpId })],
  ['confirm', 'confirmed', () => ({ trigger: 'confirm' })],
  ['settle', 'crypto_verify_pending', () => ({ trigger: 'settle', txHash: 'ab', txHashGiven: 'ab' })],
];

export async function openClocks(): Promise<Clocks> {
  const books = await openBooks();
  const lp = await books.newLp();
  // An order whose claim has failed is offered again only if another LP could take it.
  await books.newLp();
  await books.deposit(lp, '1000000');
  const query: Clocks['query'] = async (sql, values = []) => (await books.db.pool.query(sql, values)).rows;
  const take: Clocks['take'] = async (step, id, command) =>
    (await takeStep(books.db, step, id, command)).result;
  return {
    books,
    lp,
    query,
    take,
    orderIn: async (status) => {
      const draft = await books.draft(lp, '1295');
      const until = new Date(Date.now() + STAGE_DAYS * DAY_MS);
      const stage_ms = draft.stage_ms.map(() => STAGE_DAYS * DAY_MS);
      await books.create({ ...draft, stage_ms, expires_at: until, timeout_at: until });
      for (const [step, to, command] of PATH) {
        if ((await stateOf(books.db, draft.id)).status === status) break;
        const result = await take(step, draft.id, command(lp));
        if (result !== 'applied') throw new Error(`The order did not become ${to}: ${result}`);
      }
      return draft.id;
    },
    pass: (days) => timePasses(books.db.pool, `${24 * days} hours`),
    left: async (id) => {
      const [row] = await query(
        `select extract(epoch from timeout_at - now())::float8 * 1000 as ms from orders where id = $1`,
        [id],
      );
      return Math.round(Number(row?.ms) / DAY_MS);
    },
    expire: async (step, id) => {
      const { version } = await stateOf(books.db, id);
      return (await takeStep(books.db, step, id, { trigger: 'deadline', version })).result;
    },
    beginOutage: async () => {
      await query(
        `insert into service_heartbeat (recorded_at, good_until) values (now(), now() - interval '1 second')
         on conflict (id) do update set recorded_at = excluded.recorded_at, good_until = excluded.good_until`,
      );
    },
  };
}
