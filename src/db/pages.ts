/** Where a page of a list begins, and how many rows it shows at most. */
export interface PageQuery {
  /** The id of the last row of the previous page. */
  cursor?: number | undefined;
  limit: number;
}

/** The condition that a page's rows come after its cursor. */
export const afterCursor = ({ cursor }: PageQuery) => (cursor === undefined ? {} : { id: { $lt: cursor } });

/** Newest first. One row more than the page shows, so that the caller knows whether another page follows. */
export const pageOptions = ({ limit }: PageQuery) => ({ orderBy: { id: 'desc' }, limit: limit + 1 }) as const;
