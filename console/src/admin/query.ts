import { type Resource, useResource } from '../resource.ts';
import type { Place } from '../route.ts';
import { ask } from '../session.ts';

/** How often a list that somebody looks at is read again. */
export const LOOK_EVERY_MS = 10_000;

/** The fields of an address's query that a list is asked with, without those that are empty. */
export function filtersOf<Name extends string>(
  { query }: Place,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}

/** A list of admins' with these filters, read again every now and then. */
export function useList<Answer>(path: string, filters: Record<string, string | undefined>): Resource<Answer> {
  const query = new URLSearchParams(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  const address = query ? `${path}?${query}` : path;
  return useResource((signal) => ask<Answer>('GET', address, { signal }), [address], LOOK_EVERY_MS);
}
