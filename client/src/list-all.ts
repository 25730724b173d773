import type { createTransport } from './transport.ts';

/** Yields the rows of all pages of a list. Reads each page only when the loop reaches it. */
export async function* listAll<Page extends { next_cursor: string | null }, Row>(
  call: ReturnType<typeof createTransport>,
  path: string,
  query: object,
  rowsOf: (page: Page) => Row[],
): AsyncGenerator<Row> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  for (;;) {
    const page = await call<Page>('GET', `${path}?${search}`);
    yield* rowsOf(page);
    if (page.next_cursor === null) return;
    search.set('cursor', page.next_cursor);
  }
}
