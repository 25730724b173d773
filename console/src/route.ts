import { computed, signal } from '@preact/signals';

/** Where in the console somebody is: `#/orders/42?status=disputed` is `['orders', '42']` and its query. */
export interface Place {
  path: string[];
  query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const place = computed((): Place => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decoded), query: new URLSearchParams(query) };
});

/** The address of a place, for links. Values that are empty or undefined are left out of the query. */
export function linkTo(path: string, query: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path}${search ? `?${search}` : ''}`;
}

export function go(path: string, query: Record<string, string | number | undefined> = {}): void {
  location.hash = linkTo(path, query);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
