import { DomainError } from '../../domain/errors.ts';
import type { Config } from '../../settings/config.ts';
import type { Principals, Route } from '../route.ts';
import type { Auth } from '../route-contract.ts';
import { createTurnsByKey } from './turns.ts';

/** Does the work of a request when it is its caller's turn. */
export type InKeyTurn = <T>(route: Route, principal: Principals[Auth], work: () => Promise<T>) => Promise<T>;

/** Shorter than the time after which clients usually give up, so that nothing is done for a client that has left. */
const LONGEST_WAIT_MS = 8_000;
const BUSY =
  'Too many requests of this key wait in this process: nothing was done; send fewer at the same time, and this one again';

/**
 * Carries out the commands of a key a few at a time, so that one key's thousand requests delay those of other keys by no more
 * than a few. `limits.commandsAtOnce`: how many; 0: any number. Waiting requests keep their order. One that has waited for eight
 * seconds is refused.
 */
export function createKeyTurns({ limits }: Pick<Config, 'limits'>): InKeyTurn {
  const places = limits.commandsAtOnce;
  if (places === 0) return (_route, _principal, work) => work();
  const refuse = () => new DomainError('unavailable', BUSY, { retryAfter: 1 });
  const turns = createTurnsByKey({ places, longestWaitMs: LONGEST_WAIT_MS, refuse });
  return (route, principal, work) => {
    if (!route.inTurn || typeof principal !== 'object' || principal === null || !('id' in principal))
      return work();
    return turns(`${route.auth}:${principal.id}`, work);
  };
}
