import { z } from 'zod';
import type { PageQuery } from '../../db/pages.ts';

/** A positive whole number in a query string. */
export const idInQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'must be an id: a positive whole number')
  .transform(Number)
  .describe('A positive whole number.');

export const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

export const pageLimit = z.coerce
  .number()
  .int()
  .min(1)
  .max(MAX_LIMIT)
  .default(DEFAULT_LIMIT)
  .describe(`Rows per page, from 1 to ${MAX_LIMIT}. Default: ${DEFAULT_LIMIT}.`);

/** Query of a paged list. */
export const pageQuery = z.object({
  cursor: idInQuery
    .optional()
    .describe('The `next_cursor` of the previous page, a positive whole number. Default: the first page.'),
  limit: pageLimit,
});

export const nextCursor = z
  .string()
  .nullable()
  .describe('The `cursor` for the next page; null on the last page.');

/**
 * Cuts a page from rows that are sorted newest first; the query read one row more than the page shows. Ids only grow, so
 * new rows never shift the next page.
 */
export function pageOf<Row extends { id: number }>(rows: Row[], { limit }: PageQuery) {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { page, next_cursor: rows.length > limit && last ? String(last.id) : null };
}
