import type { PageQuery } from '../../contract/pages.ts';

/** The condition that a page's rows come after its cursor. */
export const afterCursor = ({ cursor }: PageQuery) => (cursor === undefined ? {} : { id: { $lt: cursor } });

/** Newest first, and one row more than the page shows: it tells whether there is another page. */
export const pageOptions = ({ limit }: PageQuery) => ({ orderBy: { id: 'desc' }, limit: limit + 1 }) as const;
