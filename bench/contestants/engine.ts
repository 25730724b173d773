import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Answer, ChangeName, ChangeRequest } from './changes.ts';
import { insertOrder, statusOf } from './schema.ts';

/**
 * What carries orders out. Each call resolves when what it says is committed, and rejects when that is not known.
 * `settle` resolves when the verification has begun for good: the order completes by itself afterwards.
 */
export interface Engine {
  /** `amountUsd`: decimal string. Resolves with the order's id. */
  create: (amountUsd: string) => Promise<number>;
  claim: (orderId: number, lpId: number) => Promise<Answer>;
  fiatSent: (orderId: number, lpId: number) => Promise<Answer>;
  confirm: (orderId: number) => Promise<Answer>;
  settle: (orderId: number, txHash: string) => Promise<Answer>;
  /** Undefined when there is no such order. */
  status: (orderId: number) => Promise<string | undefined>;
  /** Ends what is being worked on and takes nothing new. */
  close: () => Promise<void>;
}

/** What an engine is given. */
export interface Surroundings {
  /** Of the tables of `schema.ts`. */
  pool: pg.Pool;
  databaseUrl: string;
  /** host:port */
  temporalAddress: string;
}

/** What makes one engine different from another. */
interface Parts {
  /** Has the order, whose row is committed, looked after from now on. */
  begin: (orderId: number) => Promise<unknown>;
  carryOut: (orderId: number, request: ChangeRequest) => Promise<Answer>;
  close: () => Promise<void>;
}

export function engineOf(pool: pg.Pool, { begin, carryOut, close }: Parts): Engine {
  const ask = (orderId: number, change: ChangeName, value: string | number | null = null) =>
    carryOut(orderId, { id: randomUUID(), change, value: value === null ? null : String(value) });
  return {
    create: async (amountUsd) => {
      const orderId = await insertOrder(pool, amountUsd);
      await begin(orderId);
      return orderId;
    },
    claim: (orderId, lpId) => ask(orderId, 'claim', lpId),
    fiatSent: (orderId, lpId) => ask(orderId, 'fiatSent', lpId),
    confirm: (orderId) => ask(orderId, 'confirm'),
    settle: (orderId, txHash) => ask(orderId, 'settle', txHash),
    status: (orderId) => statusOf(pool, orderId),
    close,
  };
}

/** Nobody knows what became of a request: the change may or may not be committed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}
