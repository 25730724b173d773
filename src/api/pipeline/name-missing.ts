import { DomainError } from '../../domain/errors.ts';
import type { Route } from '../route.ts';

/** What people call the objects of `objectOf`. Others have their own names, with blanks. */
const WORDS: Record<string, string> = {
  approval: 'proposal',
  lp: 'LP',
  webhook_delivery: 'webhook',
};

/**
 * The refusal, which names what does not exist. Agents and the public get the contract's `Not found`: an agent must not learn
 * whether another agent has such an order. `object`: as `objectOf` names it; empty: the path names none.
 */
export function namingMissing(error: unknown, { auth, path, loads }: Route, object: string): unknown {
  const isBare = error instanceof DomainError && error.code === 'not_found' && error.message === '';
  if (!isBare || (auth !== 'admin' && auth !== 'lp')) return error;
  const [kind = '', id = ''] = object.split(':');
  const what = `${WORDS[kind] ?? kind.replaceAll('_', ' ')} ${id}`;
  return new DomainError('not_found', textFor());

  function textFor(): string {
    if (object === '') return 'Not found: the id in the path must be a positive whole number';
    if (auth === 'admin') return `There is no ${what}: GET ${path.slice(0, path.indexOf('/:'))} lists them`;
    return loads === 'order' ? `There is no ${what}` : `You have no ${what}`;
  }
}
