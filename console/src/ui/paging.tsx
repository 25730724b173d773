import './paging.css';
import { linkTo, type Route } from '../route.ts';

/** Links to the pages of a list. Each page has an address, so the browser's back button leads to newer pages. */
export function Paging({
  path,
  route,
  filters,
  next,
}: {
  path: string;
  route: Route;
  filters: Record<string, string | undefined>;
  /** The `next_cursor` of the current page. */
  next: string | null;
}) {
  const { cursor, ...kept } = filters;
  if (!cursor && next === null) return null;
  const here = [path, ...route.path].join('/');
  return (
    <nav class="row paging" aria-label="Pages">
      {cursor && <a href={linkTo(here, kept)}>Newest</a>}
      {next !== null && <a href={linkTo(here, { ...kept, cursor: next })}>Older</a>}
    </nav>
  );
}
