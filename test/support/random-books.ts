import { DatabaseError } from 'pg';
import { isDatabaseAway } from '../../src/db/errors.ts';
import { DomainError } from '../../src/domain/errors.ts';
import { confirmDeposit } from '../../src/market/collateral/confirm-deposit.ts';
import { decideWithdrawal } from '../../src/market/collateral/decide-withdrawal.ts';
import { requestWithdrawal } from '../../src/market/collateral/request-withdrawal.ts';
import { type Books, openBooks } from './books.ts';
import type { Random } from './random.ts';

/** The setup of the random test: the books, the LPs, and the number of events by name. */
export interface RandomBooks {
  books: Books;
  /** The first LP has hardly any collateral, the second no receive address. */
  lps: number[];
  counts: Map<string, number>;
  note: (what: string) => void;
  /** Repeats work whose connection broke. As after a crash, it is unknown whether the work was committed. */
  retryOnDisconnect: <T>(work: () => Promise<T>) => Promise<T>;
}

export async function openRandomBooks(lpCount: number): Promise<RandomBooks> {
  const books = await openBooks();
  const lps = [await books.newLp(), await books.newLp({ asset: false })];
  while (lps.length < lpCount) lps.push(await books.newLp({ tier: lps.length % 5 }));
  await books.deposit(lps[0] as number, '3');
  for (const lp of lps.slice(1)) await books.deposit(lp, '20000');
  const counts = new Map<string, number>();
  const note = (what: string) => void counts.set(what, (counts.get(what) ?? 0) + 1);
  return {
    books,
    lps,
    counts,
    note,
    retryOnDisconnect: async (work) => {
      for (;;) {
        try {
          return await work();
        } catch (error) {
          if (isRollbackRace(error)) note('rollback race');
          else if (isDatabaseAway(error)) note('connection broken');
          else throw error;
        }
      }
    },
  };
}

/**
 * A race in PostgreSQL itself: an update fails with an internal error if it reaches a row whose update by another
 * transaction is just being rolled back, while a third transaction holds a key-share lock on the row. The failed update
 * wrote nothing, and a worker runs the step again, as after any error.
 */
const isRollbackRace = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  error.code === 'XX000' &&
  error.message.startsWith('new multixact has more than one updating member');

/** Random deposits and withdrawals. A `DomainError` is an expected refusal; any other error fails the test. */
export function createRandomMoney({ books, lps, note, retryOnDisconnect }: RandomBooks) {
  const { db } = books;
  const withdrawals: number[] = [];
  const ofLps = lps.slice(1);
  /** Any amount that the columns can hold, usually with all six decimal places. */
  const amount = (random: Random, max: number) => (random.integer(1, max * 1_000_000) / 1_000_000).toFixed(6);
  const noteRefusal = (error: unknown) => {
    if (!(error instanceof DomainError)) throw error;
    note(error.code);
  };
  const several = (random: Random, work: (i: number) => Promise<unknown>) =>
    Promise.all(
      Array.from({ length: random.pick([1, 1, 1, 3]) }, (_, i) =>
        retryOnDisconnect(() => work(i)).catch(noteRefusal),
      ),
    );

  return { deposit, withdraw, decide, breakConnection };

  async function deposit(random: Random): Promise<void> {
    const txHash = random.chance(0.2) ? `bb0${random.integer(0, 9)}` : null;
    const id = await retryOnDisconnect(() =>
      books.announce(random.pick(ofLps), amount(random, 500), txHash ?? undefined),
    );
    if (random.chance(0.2)) return;
    await several(random, () => confirmDeposit(db, id, txHash));
  }

  async function withdraw(random: Random): Promise<void> {
    const lp = random.pick(lps);
    const terms = {
      amount: random.chance(0.2) ? '5' : amount(random, random.chance(0.1) ? 1_000_000 : 400),
      ...({ asset: 'usdt', chain: 'trx' } as const),
      address: random.pick(['Tone', 'Ttwo']),
    };
    const key = random.chance(0.5) ? `w${random.integer(0, 200)}` : null;
    await several(random, async () => {
      const { withdrawal, replayed } = await requestWithdrawal(db, lp, terms, key);
      note(replayed ? 'withdrawal replayed' : 'withdrawal reserved');
      withdrawals.push(withdrawal.id);
    });
  }

  async function decide(random: Random): Promise<void> {
    if (withdrawals.length === 0) return;
    // One of the newest, so that most are undecided.
    const id = random.pick(withdrawals.slice(-10));
    await several(random, async () => {
      const decided = random.chance(0.5)
        ? ({ status: 'paid', tx_hash: random.pick([null, 'cc01']), reason: null } as const)
        : ({ status: 'rejected', tx_hash: null, reason: 'no' } as const);
      note((await decideWithdrawal(db, id, decided)).status);
    });
  }

  /** Ends a busy connection of the pool. */
  async function breakConnection(): Promise<void> {
    const sql = `
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state = 'active' limit 1`;
    await retryOnDisconnect(() => db.pool.query(sql));
  }
}
