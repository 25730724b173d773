import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Answer, ChangeName, ChangeRequest } from './changes.ts';
import { insertOrder, statusOf } from './schema.ts';

/**
 * Performs the changes of orders. Each call resolves when its change is committed, and rejects when the result is not
 * known. `settle` resolves when the verification is durably scheduled; the order then completes by itself.
 */
export interface Engine {
  /** `amountUsd` is a decimal string. The URL gets a webhook for each change. Resolves with the order's id. */
  create: (amountUsd: string, callbackUrl: string | null) => Promise<number>;
  claim: (orderId: number, lpId: number) => Promise<Answer>;
  fiatSent: (orderId: number, lpId: number) => Promise<Answer>;
  confirm: (orderId: number) => Promise<Answer>;
  settle: (orderId: number, txHash: string) => Promise<Answer>;
  /** Undefined if the order does not exist. */
  status: (orderId: number) => Promise<string | undefined>;
  /** Finishes the work in progress and accepts no new requests. */
  close: () => Promise<void>;
}

export interface EngineDeps {
  /** A pool for the tables of `schema.ts`. */
  pool: pg.Pool;
  databaseUrl: string;
  /** host:port */
  temporalAddress: string;
}

/** The parts in which engines differ. */
interface Parts {
  /** Takes over an order whose row is committed. */
  begin: (orderId: number, callbackUrl: string | null) => Promise<unknown>;
  carryOut: (orderId: number, request: ChangeRequest) => Promise<Answer>;
  close: () => Promise<void>;
}

export function createEngine(pool: pg.Pool, { begin, carryOut, close }: Parts): Engine {
  const request = (orderId: number, change: ChangeName, value: string | number | null = null) =>
    carryOut(orderId, { id: randomUUID(), change, value: value === null ? null : String(value) });
  return {
    create: async (amountUsd, callbackUrl) => {
      const orderId = await insertOrder(pool, amountUsd, callbackUrl);
      await begin(orderId, callbackUrl);
      return orderId;
    },
    claim: (orderId, lpId) => request(orderId, 'claim', lpId),
    fiatSent: (orderId, lpId) => request(orderId, 'fiatSent', lpId),
    confirm: (orderId) => request(orderId, 'confirm'),
    settle: (orderId, txHash) => request(orderId, 'settle', txHash),
    status: (orderId) => statusOf(pool, orderId),
    close,
  };
}

/** The result of a request is unknown: the change may or may not be committed. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}
