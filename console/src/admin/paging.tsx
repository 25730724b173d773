import { linkTo, type Place } from '../route.ts';

/** The way through a list's pages: back is the browser's, so that each page has an address. */
export function Paging({
  path,
  place,
  filters,
  next,
}: {
  path: string;
  place: Place;
  filters: Record<string, string | undefined>;
  /** The `next_cursor` of the page that is shown. */
  next: string | null;
}) {
  const { cursor, ...kept } = filters;
  if (!cursor && next === null) return null;
  const here = [path, ...place.path].join('/');
  return (
    <nav class="row paging" aria-label="Pages">
      {cursor && <a href={linkTo(here, kept)}>Newest</a>}
      {next !== null && <a href={linkTo(here, { ...kept, cursor: next })}>Older</a>}
    </nav>
  );
}
