import { computed, signal } from '@preact/signals';

/** A location in the console: `#/orders/42?status=disputed` is `['orders', '42']` and its query. */
export interface Route {
  path: string[];
  query: URLSearchParams;
}

const hash = signal(location.hash);
addEventListener('hashchange', () => {
  hash.value = location.hash;
});

export const currentRoute = computed((): Route => {
  const [path = '', query = ''] = hash.value.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
});

/** Returns the address of a route, for links. It omits query values that are empty or undefined. */
export function linkTo(path: string, query: Record<string, string | number | undefined> = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `#/${path}${search ? `?${search}` : ''}`;
}

export function navigate(path: string, query: Record<string, string | number | undefined> = {}): void {
  location.hash = linkTo(path, query);
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
