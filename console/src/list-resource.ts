import { type Resource, useResource } from './resource.ts';
import type { Route } from './route.ts';
import { callApi } from './session.ts';

const REFRESH_MS = 10_000;

/** Returns the filters of a list from the address, without the empty ones. */
export function readFilters<Name extends string>(
  { query }: Route,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.flatMap((name) => {
    const value = query.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}

/** Reads a list with these filters, and refreshes it regularly. */
export function useList<Answer>(path: string, filters: Record<string, string | undefined>): Resource<Answer> {
  const query = new URLSearchParams(
    Object.entries(filters).filter((entry): entry is [string, string] => entry[1] !== undefined),
  ).toString();
  const address = query ? `${path}?${query}` : path;
  return useResource((signal) => callApi<Answer>('GET', address, { signal }), [address], REFRESH_MS);
}
