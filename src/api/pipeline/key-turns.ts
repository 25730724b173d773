import type { Context } from 'koa';
import { DomainError } from '../../domain/errors.ts';
import { sessionToken } from '../../http/access/console-session.ts';
import { createTurnsByKey, type TurnsByKey } from '../../process/turns.ts';
import type { Config } from '../../settings/config.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';

/** Lets the requests of a key take turns, so that a thousand of them delay those of other keys by no more than a few. */
export interface KeyTurns {
  /** Does the work of a read, from the check of its key on, when it is the turn of the key or session that it presents. */
  read: <T>(ctx: Context, route: Route, work: () => Promise<T>) => Promise<T>;
  /** Does the work of a command when it is the turn of the agent or LP. */
  command: <T>(route: Route, principal: Principals[Auth], work: () => Promise<T>) => Promise<T>;
}

/** Shorter than the time after which clients usually give up, so that nothing is done for a client that has left. */
const LONGEST_WAIT_MS = 8_000;
const BUSY =
  'Too many requests of this key wait in this process: nothing was done; send fewer at the same time, and this one again';

/**
 * `limits.commandConcurrency`, `limits.readConcurrency`: how many of one key an API process serves at the same time; 0: any number. The
 * others wait in order. One that has waited for eight seconds is refused. A waiting read has asked the database for nothing. A
 * command waits after its key has been checked and counted, because its line is that of the agent or LP.
 */
export function createKeyTurns({ limits, ...settings }: Config): KeyTurns {
  const commands = linesOf(limits.commandConcurrency);
  const reads = linesOf(limits.readConcurrency);
  return {
    read: (ctx, route, work) => {
      if (route.method !== 'get' || route.auth === 'none') return work();
      const presented = ctx.get('authorization') || sessionToken(ctx.req, settings);
      return presented ? reads(presented, work) : work();
    },
    command: (route, principal, work) => {
      if (!route.inTurn || typeof principal !== 'object' || principal === null || !('id' in principal))
        return work();
      return commands(`${route.auth}:${principal.id}`, work);
    },
  };
}

function linesOf(places: number): TurnsByKey<string> {
  if (places === 0) return (_key, work) => work();
  const refuse = () => new DomainError('unavailable', BUSY, { retryAfter: 1 });
  return createTurnsByKey({ places, longestWaitMs: LONGEST_WAIT_MS, refuse });
}
